package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// What the writer for Grafana 7 reads of a dashboard of today. Decoding is strict: a construct that stands in none of these structs fails the
// generator, so nothing gets lost on the way without a decision.

// ignored is what Grafana 7.1 does not know and what can be missing: the panel says the same without it.
type ignored = json.RawMessage

type modernDashboard struct {
	UID, Title, Description, Timezone, Refresh string
	Tags                                       []string
	Editable                                   bool
	GraphTooltip                               int
	Time                                       struct{ From, To string }
	Templating                                 struct{ List []modernVariable }
	Annotations                                struct{ List []modernAnnotation }
	Links                                      []modernLink
	Panels                                     []modernPanel
	SchemaVersion                              ignored
}

type modernSource struct{ Type, UID string }

type modernVariable struct {
	Type, Name, Label, Query, Definition, Regex string
	Description                                 ignored
	Datasource                                  *modernSource
	Current                                     any
	Refresh, Sort, Hide                         int
	Multi, IncludeAll                           bool
	AllValue                                    *string
}

type modernAnnotation struct {
	Name, IconColor, Expr, Step, TitleFormat, TextFormat string
	Datasource                                           modernSource
	Enable, UseValueForTime                              bool
}

type modernLink struct {
	Type, Title, Tooltip, Icon, URL                string
	Tags                                           []string
	AsDropdown, TargetBlank, IncludeVars, KeepTime bool
}

type modernPanel struct {
	Type, Title, Description string
	ID                       int
	GridPos                  oldGrid
	Datasource               *modernSource
	Targets                  []modernTarget
	Options                  json.RawMessage
	FieldConfig              modernFieldConfig
	Transformations          []modernTransformation
	Interval, TimeFrom       *string
	HideTimeOverride         *bool
	MaxDataPoints            *float64
	Collapsed                bool
	Panels                   []modernPanel
}

type modernTarget struct {
	RefID, Expr, LegendFormat, Format string
	Datasource                        modernSource
	Instant, Range                    bool
	EditorMode                        ignored
}

type modernTransformation struct {
	ID      string
	Options json.RawMessage
}

type modernFieldConfig struct {
	Defaults struct {
		Unit, NoValue      string
		Min, Max, Decimals *float64
		Thresholds         *oldThresholds
		Mappings           []modernMapping
		Color              *modernColor
		Custom             json.RawMessage
	}
	Overrides []modernOverride
}

type modernColor struct{ Mode, FixedColor string }

type modernMapping struct {
	Type    string
	Options map[string]modernMapped
}

type modernMapped struct {
	Text, Color string
	Index       int
}

type modernOverride struct {
	Matcher    struct{ ID, Options string }
	Properties []modernProperty
}

type modernProperty struct {
	ID    string
	Value json.RawMessage
}

type modernStat struct {
	GraphMode, ColorMode, JustifyMode, TextMode, Orientation string
	ReduceOptions                                            struct{ Calcs []string }
	ShowPercentChange                                        bool
	WideLayout, PercentChangeColorMode, Text                 ignored
}

type modernTable struct {
	SortBy                                []oldSort
	ShowHeader                            bool
	FrameIndex, ShowTypeIcons, CellHeight ignored
	Footer                                struct {
		Show, CountRows bool
		Reducer         []string
	}
}

type modernTableField struct {
	Align               string
	Inspect, Filterable ignored
}

type modernOrganize struct {
	ExcludeByName map[string]bool
	IndexByName   map[string]int
	RenameByName  map[string]string
}

type modernLegend struct {
	DisplayMode, Placement, SortBy string
	ShowLegend, SortDesc           bool
	Calcs                          []string
}

type modernTimeseries struct {
	Legend  modernLegend
	Tooltip struct{ Mode, Sort string }
}

type modernCurve struct {
	LineInterpolation, ShowPoints, DrawStyle string
	LineWidth, FillOpacity                   *float64
	ThresholdsStyle                          struct{ Mode string }
	Stacking                                 struct{ Mode, Group string }
	SpanNulls                                bool
	GradientMode, AxisWidth, AxisSoftMax     ignored
}

// strictDecode fails on every key that the struct does not have.
func strictDecode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w in %.200s", err, b)
	}
	return nil
}
