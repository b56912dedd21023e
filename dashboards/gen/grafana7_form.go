package main

import "encoding/json"

// What Grafana 7.1 knows of a dashboard, as far as the pages need it. Nothing else can be written.

// oldSource is the data source everywhere: 7.1 knows it by name only, a variable included.
const oldSource = "$datasource"

type oldDashboard struct {
	UID           string         `json:"uid"`
	Title         string         `json:"title"`
	Description   string         `json:"description"`
	Tags          []string       `json:"tags"`
	Timezone      string         `json:"timezone"`
	Editable      bool           `json:"editable"`
	GraphTooltip  int            `json:"graphTooltip"`
	Time          oldTime        `json:"time"`
	Refresh       string         `json:"refresh"`
	SchemaVersion int            `json:"schemaVersion"`
	Templating    oldVariables   `json:"templating"`
	Annotations   oldAnnotations `json:"annotations"`
	Links         []oldLink      `json:"links"`
	Panels        []any          `json:"panels"`
}

type oldTime struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type oldVariables struct {
	List []oldVariable `json:"list"`
}

type oldVariable struct {
	Type       string  `json:"type"`
	Name       string  `json:"name"`
	Label      string  `json:"label"`
	Datasource string  `json:"datasource,omitempty"`
	Query      string  `json:"query"`
	Definition string  `json:"definition,omitempty"`
	Regex      string  `json:"regex"`
	Current    any     `json:"current,omitempty"`
	Options    []any   `json:"options"`
	Refresh    int     `json:"refresh"`
	Sort       int     `json:"sort"`
	Hide       int     `json:"hide"`
	Multi      bool    `json:"multi"`
	IncludeAll bool    `json:"includeAll"`
	AllValue   *string `json:"allValue"`
}

type oldAnnotations struct {
	List []oldAnnotation `json:"list"`
}

type oldAnnotation struct {
	Name            string `json:"name"`
	Datasource      string `json:"datasource"`
	Enable          bool   `json:"enable"`
	Hide            bool   `json:"hide"`
	IconColor       string `json:"iconColor"`
	Expr            string `json:"expr"`
	Step            string `json:"step"`
	TitleFormat     string `json:"titleFormat"`
	TextFormat      string `json:"textFormat"`
	UseValueForTime bool   `json:"useValueForTime"`
}

type oldLink struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Tooltip     string   `json:"tooltip"`
	Icon        string   `json:"icon"`
	URL         string   `json:"url"`
	Tags        []string `json:"tags"`
	AsDropdown  bool     `json:"asDropdown"`
	TargetBlank bool     `json:"targetBlank"`
	IncludeVars bool     `json:"includeVars"`
	KeepTime    bool     `json:"keepTime"`
}

type oldGrid struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// oldBase is what every panel has.
type oldBase struct {
	ID            int     `json:"id"`
	Type          string  `json:"type"`
	Title         string  `json:"title"`
	Description   string  `json:"description,omitempty"`
	GridPos       oldGrid `json:"gridPos"`
	PluginVersion string  `json:"pluginVersion,omitempty"`
}

// oldQueries is what every panel with queries has.
type oldQueries struct {
	oldBase
	Datasource       string      `json:"datasource"`
	Targets          []oldTarget `json:"targets"`
	Interval         *string     `json:"interval,omitempty"`
	MaxDataPoints    *float64    `json:"maxDataPoints,omitempty"`
	TimeFrom         *string     `json:"timeFrom,omitempty"`
	HideTimeOverride *bool       `json:"hideTimeOverride,omitempty"`
}

type oldTarget struct {
	RefID          string `json:"refId"`
	Expr           string `json:"expr"`
	Format         string `json:"format"`
	Instant        bool   `json:"instant"`
	IntervalFactor int    `json:"intervalFactor"`
	LegendFormat   string `json:"legendFormat"`
}

type oldRow struct {
	oldBase
	Collapsed bool  `json:"collapsed"`
	Panels    []any `json:"panels"`
}

type oldText struct {
	oldBase
	Options oldTextOptions `json:"options"`
}

type oldTextOptions struct {
	Mode    string `json:"mode"`
	Content string `json:"content"`
}

type oldStat struct {
	oldQueries
	Options     oldStatOptions `json:"options"`
	FieldConfig oldFieldConfig `json:"fieldConfig"`
}

type oldStatOptions struct {
	GraphMode     string    `json:"graphMode"`
	ColorMode     string    `json:"colorMode"`
	JustifyMode   string    `json:"justifyMode"`
	TextMode      string    `json:"textMode"`
	Orientation   string    `json:"orientation"`
	ReduceOptions oldReduce `json:"reduceOptions"`
}

type oldReduce struct {
	Calcs  []string `json:"calcs"`
	Fields string   `json:"fields"`
	Values bool     `json:"values"`
}

type oldTable struct {
	oldQueries
	Options         oldTableOptions     `json:"options"`
	FieldConfig     oldFieldConfig      `json:"fieldConfig"`
	Transformations []oldTransformation `json:"transformations"`
}

type oldTableOptions struct {
	ShowHeader bool      `json:"showHeader"`
	SortBy     []oldSort `json:"sortBy"`
}

type oldSort struct {
	DisplayName string `json:"displayName"`
	Desc        bool   `json:"desc"`
}

// oldTransformation is merge without options, or organize.
type oldTransformation struct {
	ID      string       `json:"id"`
	Options *oldOrganize `json:"options"`
}

type oldOrganize struct {
	ExcludeByName map[string]bool   `json:"excludeByName,omitempty"`
	IndexByName   map[string]int    `json:"indexByName,omitempty"`
	RenameByName  map[string]string `json:"renameByName,omitempty"`
}

type oldFieldConfig struct {
	Defaults  oldDefaults   `json:"defaults"`
	Overrides []oldOverride `json:"overrides"`
}

type oldDefaults struct {
	Unit       string         `json:"unit,omitempty"`
	NoValue    string         `json:"noValue,omitempty"`
	Min        *float64       `json:"min,omitempty"`
	Max        *float64       `json:"max,omitempty"`
	Decimals   *float64       `json:"decimals,omitempty"`
	Thresholds *oldThresholds `json:"thresholds,omitempty"`
	Mappings   []oldMapping   `json:"mappings"`
	Custom     oldCustom      `json:"custom"`
}

// oldCustom are the options of a table's column.
type oldCustom struct {
	Align string `json:"align,omitempty"`
}

type oldThresholds struct {
	Mode  string    `json:"mode"`
	Steps []oldStep `json:"steps"`
}

type oldStep struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

// oldMapping gives a value a text; the colour comes from the thresholds.
type oldMapping struct {
	ID    int    `json:"id"`
	Type  int    `json:"type"`
	Value string `json:"value"`
	Text  string `json:"text"`
}

// valueToText is the type of a mapping of one value.
const valueToText = 1

type oldOverride struct {
	Matcher    oldMatcher    `json:"matcher"`
	Properties []oldProperty `json:"properties"`
}

type oldMatcher struct {
	ID      string `json:"id"`
	Options string `json:"options"`
}

type oldProperty struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

type oldDataLink struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// oldGraph is the Angular panel; later versions of Grafana make a timeseries of it.
type oldGraph struct {
	oldQueries
	Bars            bool                `json:"bars"`
	Lines           bool                `json:"lines"`
	Linewidth       int                 `json:"linewidth"`
	Fill            int                 `json:"fill"`
	FillGradient    int                 `json:"fillGradient"`
	Points          bool                `json:"points"`
	Stack           bool                `json:"stack"`
	SteppedLine     bool                `json:"steppedLine"`
	NullPointMode   string              `json:"nullPointMode"`
	Renderer        string              `json:"renderer"`
	AliasColors     struct{}            `json:"aliasColors"`
	SeriesOverrides []oldSeriesOverride `json:"seriesOverrides"`
	Thresholds      []oldGraphThreshold `json:"thresholds"`
	Legend          oldLegend           `json:"legend"`
	Tooltip         oldTooltip          `json:"tooltip"`
	XAxis           oldXAxis            `json:"xaxis"`
	YAxes           [2]oldYAxis         `json:"yaxes"`
	FieldConfig     json.RawMessage     `json:"fieldConfig"`
}

type oldSeriesOverride struct {
	Alias string `json:"alias"`
	Color string `json:"color,omitempty"`
	YAxis int    `json:"yaxis,omitempty"`
}

type oldGraphThreshold struct {
	ColorMode string  `json:"colorMode"`
	Fill      bool    `json:"fill"`
	Line      bool    `json:"line"`
	Op        string  `json:"op"`
	Value     float64 `json:"value"`
	YAxis     string  `json:"yaxis"`
}

type oldLegend struct {
	Show         bool   `json:"show"`
	AlignAsTable bool   `json:"alignAsTable"`
	RightSide    bool   `json:"rightSide"`
	Values       bool   `json:"values"`
	Current      bool   `json:"current"`
	Max          bool   `json:"max"`
	Sort         string `json:"sort,omitempty"`
	SortDesc     bool   `json:"sortDesc"`
}

type oldTooltip struct {
	Shared    bool   `json:"shared"`
	Sort      int    `json:"sort"`
	ValueType string `json:"value_type"`
}

type oldXAxis struct {
	Mode string `json:"mode"`
	Show bool   `json:"show"`
}

type oldYAxis struct {
	Format   string   `json:"format"`
	Label    string   `json:"label,omitempty"`
	LogBase  int      `json:"logBase"`
	Min      *string  `json:"min"`
	Max      *string  `json:"max"`
	Decimals *float64 `json:"decimals,omitempty"`
	Show     bool     `json:"show"`
}
