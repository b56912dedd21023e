package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/text"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// Red means act, orange means unknown or act soon; blue is a fact without judgement. Cells of tables have the dark ones, for their letters are white.
const (
	red        = "red"
	orange     = "orange"
	green      = "green"
	blue       = "blue"
	darkRed    = "dark-red"
	darkOrange = "dark-orange"
	darkBlue   = "dark-blue"
	plain      = "transparent"
)

// words are what every panel says: its title, what it shows and what to do about it, and what it means when there is nothing to show.
type words struct{ title, about, empty string }

type place struct{ x, y, w, h uint32 }

func source() *common.DataSourceRef {
	return &common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${datasource}")}
}

// wholeFleet limits the steps of a graph whose query reads series of every target of Prometheus at each of them.
const wholeFleet = 240.0

func panel(kind string, w words, at place, targets ...variants.Dataquery) dashboard.Panel {
	p := dashboard.Panel{Type: kind, Title: &w.title, Description: &w.about, GridPos: &dashboard.GridPos{X: at.x, Y: at.y, W: at.w, H: at.h}}
	if len(targets) == 0 {
		return p
	}
	p.Datasource, p.Targets = source(), targets
	p.FieldConfig = dashboard.NewFieldConfigSource()
	p.FieldConfig.Defaults.NoValue = &w.empty
	return p
}

func query(ref, expr, legend string) prometheus.Dataquery {
	return prometheus.Dataquery{
		RefId: &ref, Expr: expr, LegendFormat: &legend, Datasource: source(), EditorMode: cog.ToPtr(prometheus.QueryEditorModeCode),
	}
}

// now asks once, at the end of the time range; over asks for the whole of it; rows are now, as a table.
func now(ref, expr, legend string) variants.Dataquery {
	q := query(ref, expr, legend)
	q.Instant, q.Range = cog.ToPtr(true), cog.ToPtr(false)
	return q
}

// figure is now for a number.
func (s selector) figure(expr, legend string) variants.Dataquery {
	return now("A", s.orUnscraped(expr), legend)
}

func over(ref, expr, legend string) variants.Dataquery {
	q := query(ref, expr, legend)
	q.Instant, q.Range = cog.ToPtr(false), cog.ToPtr(true)
	return q
}

func rows(ref, expr string) variants.Dataquery {
	q := query(ref, expr, "")
	q.Instant, q.Range, q.Format = cog.ToPtr(true), cog.ToPtr(false), cog.ToPtr(prometheus.PromQueryFormatTable)
	return q
}

// above colours values from the limits on; what is below the first limit has the base colour.
func above(base string, limits ...dashboard.Threshold) *dashboard.ThresholdsConfig {
	return &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: append([]dashboard.Threshold{{Color: base}}, limits...)}
}

func limit(value float64, color string) dashboard.Threshold {
	return dashboard.Threshold{Value: &value, Color: color}
}

// leak are the limits of the alerts: more than 1 live cert-writer is a leak, more than 20 is critical.
func leak(base string, more ...dashboard.Threshold) *dashboard.ThresholdsConfig {
	return above(base, append(more, limit(2, orange), limit(21, red))...)
}

// fine is green up to the limits. What is no number, the text of an empty panel, has no colour.
func fine(limits ...dashboard.Threshold) *dashboard.ThresholdsConfig {
	return above("text", append([]dashboard.Threshold{limit(0, green)}, limits...)...)
}

// leakCell are the same for a cell.
func leakCell() *dashboard.ThresholdsConfig {
	return above(plain, limit(2, darkOrange), limit(21, darkRed))
}

func markdown(w words, at place, content string) dashboard.Panel {
	p := panel("text", w, at)
	o := text.NewOptions()
	o.Mode, o.Content = text.TextModeMarkdown, content
	p.Options = o
	return p
}

// number is one value in large figures, coloured by its limits.
func number(w words, at place, unit string, limits *dashboard.ThresholdsConfig, targets ...variants.Dataquery) dashboard.Panel {
	p := panel("stat", w, at, targets...)
	o := stat.NewOptions()
	o.GraphMode, o.Orientation = common.BigValueGraphModeNone, common.VizOrientationAuto
	o.ReduceOptions.Calcs = []string{"lastNotNull"}
	p.Options = o
	p.FieldConfig.Defaults.Unit, p.FieldConfig.Defaults.Thresholds = &unit, limits
	p.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
	inWords(&p)
	return p
}

// wording is a number whose legend is shown instead of the value, in letters of a size that fits; the value gives the colour.
func wording(w words, at place, size float64, limits *dashboard.ThresholdsConfig, targets ...variants.Dataquery) dashboard.Panel {
	p := number(w, at, "none", limits, targets...)
	o := p.Options.(*stat.Options)
	// Two of them stand above one another: side by side, long commands would break.
	o.TextMode, o.Orientation = common.BigValueTextModeName, common.VizOrientationHorizontal
	o.Text = &common.VizTextDisplayOptions{ValueSize: &size}
	return p
}

// curve is a graph over time; counts change in steps.
func curve(w words, at place, unit string, limits *dashboard.ThresholdsConfig, targets ...variants.Dataquery) dashboard.Panel {
	p := panel("timeseries", w, at, targets...)
	o := timeseries.NewOptions()
	o.Legend = common.VizLegendOptions{DisplayMode: common.LegendDisplayModeList, Placement: common.LegendPlacementBottom, ShowLegend: true, Calcs: []string{}}
	o.Tooltip = common.VizTooltipOptions{Mode: common.TooltipDisplayModeMulti, Sort: common.SortOrderDescending}
	p.Options = o
	c := timeseries.NewFieldConfig()
	c.LineInterpolation, c.LineWidth, c.FillOpacity = cog.ToPtr(common.LineInterpolationStepAfter), cog.ToPtr(2.0), cog.ToPtr(5.0)
	c.ShowPoints = cog.ToPtr(common.VisibilityModeNever)
	if len(limits.Steps) > 1 {
		c.ThresholdsStyle = &common.GraphThresholdsStyleConfig{Mode: common.GraphThresholdsStyleModeDashed}
	}
	p.FieldConfig.Defaults.Custom = c
	p.FieldConfig.Defaults.Unit, p.FieldConfig.Defaults.Thresholds = &unit, limits
	p.FieldConfig.Defaults.Min = cog.ToPtr(0.0)
	p.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdPaletteClassic}
	return p
}

// timeline shows one row of named states a series; a gap is a time without samples.
func timeline(w words, at place, states []dashboard.ValueMapping, targets ...variants.Dataquery) dashboard.Panel {
	p := panel("state-timeline", w, at, targets...)
	o := statetimeline.NewOptions()
	o.Legend = common.VizLegendOptions{DisplayMode: common.LegendDisplayModeList, Placement: common.LegendPlacementBottom, ShowLegend: false, Calcs: []string{}}
	o.Tooltip = common.VizTooltipOptions{Mode: common.TooltipDisplayModeSingle, Sort: common.SortOrderNone}
	o.ShowValue, o.RowHeight, o.MergeValues = common.VisibilityModeAuto, 0.85, cog.ToPtr(true)
	o.AlignValue, o.PerPage = cog.ToPtr(common.TimelineValueAlignmentLeft), nil
	p.Options = o
	c := statetimeline.NewFieldConfig()
	c.FillOpacity, c.LineWidth = cog.ToPtr(uint32(75)), cog.ToPtr(uint32(0))
	p.FieldConfig.Defaults.Custom = c
	p.FieldConfig.Defaults.Unit, p.FieldConfig.Defaults.Mappings = cog.ToPtr("none"), states
	p.FieldConfig.Defaults.Thresholds = above(blue)
	p.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
	return p
}
