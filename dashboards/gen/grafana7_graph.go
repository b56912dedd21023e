package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// curveForGrafana7 makes a graph of a timeseries.
func curveForGrafana7(p modernPanel) (any, error) {
	var o modernTimeseries
	var c modernCurve
	if err := strictDecode(p.Options, &o); err != nil {
		return nil, err
	}
	if err := strictDecode(p.FieldConfig.Defaults.Custom, &c); err != nil {
		return nil, err
	}
	old, err := graphForGrafana7(p)
	if err != nil {
		return nil, err
	}
	d := p.FieldConfig.Defaults
	if len(d.Mappings) > 0 {
		return nil, fmt.Errorf("mappings")
	}
	if err := old.style(c); err != nil {
		return nil, err
	}
	if err := old.legend(o.Legend); err != nil {
		return nil, err
	}
	if err := old.tooltip(o.Tooltip.Mode, o.Tooltip.Sort); err != nil {
		return nil, err
	}
	if c.ThresholdsStyle.Mode == "line" || c.ThresholdsStyle.Mode == "dashed" {
		if old.Thresholds, err = linesForGrafana7(d.Thresholds); err != nil {
			return nil, err
		}
	}
	if err := old.colors(p.FieldConfig); err != nil {
		return nil, err
	}
	old.YAxes[0] = oldYAxis{Format: d.Unit, LogBase: 1, Min: axisLimit(d.Min), Max: axisLimit(d.Max), Decimals: d.Decimals, Show: true}
	return old, nil
}

// graphForGrafana7 is what all graphs have. They show no words when there is nothing to draw, so the description says them.
func graphForGrafana7(p modernPanel) (*oldGraph, error) {
	if len(p.Transformations) > 0 {
		return nil, fmt.Errorf("a transformation")
	}
	p.Description = whenEmpty(p)
	queries, err := queriesForGrafana7(p, "graph")
	queries.PluginVersion = ""
	return &oldGraph{
		oldQueries: queries, Renderer: "flot", SeriesOverrides: []oldSeriesOverride{}, Thresholds: []oldGraphThreshold{},
		NullPointMode: "null", XAxis: oldXAxis{"time", true}, FieldConfig: emptyFieldConfig,
		YAxes: [2]oldYAxis{{}, {Format: "short", LogBase: 1}},
	}, err
}

func (g *oldGraph) style(c modernCurve) error {
	switch c.LineInterpolation {
	case "stepAfter":
		g.SteppedLine = true
	case "", "linear":
	default:
		return fmt.Errorf("lines of the kind %s", c.LineInterpolation)
	}
	switch c.DrawStyle {
	case "bars":
		g.Bars = true
	case "", "line":
		g.Lines = true
	default:
		return fmt.Errorf("the style %s", c.DrawStyle)
	}
	if c.ShowPoints != "never" {
		return fmt.Errorf("points")
	}
	switch c.Stacking.Mode {
	case "normal":
		g.Stack = true
	case "", "none":
	default:
		return fmt.Errorf("stacking %s", c.Stacking.Mode)
	}
	if !slices.Contains([]string{"", "off", "line", "dashed"}, c.ThresholdsStyle.Mode) {
		return fmt.Errorf("thresholds as %s", c.ThresholdsStyle.Mode)
	}
	if c.SpanNulls {
		g.NullPointMode = "connected"
	}
	g.Linewidth = 1
	if c.LineWidth != nil {
		g.Linewidth = int(*c.LineWidth)
	}
	if c.FillOpacity != nil {
		// tenths; some must stay some
		g.Fill = int(math.Ceil(*c.FillOpacity / 10))
	}
	return nil
}

func (g *oldGraph) legend(l modernLegend) error {
	g.Legend = oldLegend{Show: l.ShowLegend, AlignAsTable: l.DisplayMode == "table", RightSide: l.Placement == "right", SortDesc: l.SortDesc}
	for _, calc := range l.Calcs {
		switch calc {
		case "lastNotNull":
			g.Legend.Current = true
		case "max":
			g.Legend.Max = true
		default:
			return fmt.Errorf("the legend's %s", calc)
		}
		g.Legend.Values = true
	}
	switch l.SortBy {
	case "":
	case "Max":
		g.Legend.Sort = "max"
	default:
		return fmt.Errorf("a legend sorted by %s", l.SortBy)
	}
	return nil
}

func (g *oldGraph) tooltip(mode, sort string) error {
	order := slices.Index([]string{"none", "asc", "desc"}, sort)
	if order < 0 || mode != "multi" && mode != "single" {
		return fmt.Errorf("a tooltip of the mode %s, sorted by %s", mode, sort)
	}
	g.Tooltip = oldTooltip{mode == "multi", order, "individual"}
	return nil
}

// linesForGrafana7 are the limits as lines, under the names that the graph has for their colours.
func linesForGrafana7(t *oldThresholds) ([]oldGraphThreshold, error) {
	lines := []oldGraphThreshold{}
	for _, s := range t.Steps[1:] {
		mode := map[string]string{orange: "warning", red: "critical", green: "ok"}[s.Color]
		if mode == "" {
			return nil, fmt.Errorf("a line in %s", s.Color)
		}
		lines = append(lines, oldGraphThreshold{ColorMode: mode, Line: true, Op: "gt", Value: *s.Value, YAxis: "left"})
	}
	return lines, nil
}

// colors: a line of a graph has one colour; that of the limit it is above is left to the lines of the limits.
func (g *oldGraph) colors(f modernFieldConfig) error {
	all := modernColor{Mode: "palette-classic"}
	if f.Defaults.Color != nil {
		all = *f.Defaults.Color
	}
	switch all.Mode {
	case "palette-classic", "thresholds":
	case "fixed":
		if err := g.paint("/.*/", all.FixedColor); err != nil {
			return err
		}
	default:
		return fmt.Errorf("the colour mode %s", all.Mode)
	}
	for _, o := range f.Overrides {
		if o.Matcher.ID != "byName" {
			return fmt.Errorf("an override by %s", o.Matcher.ID)
		}
		for _, property := range o.Properties {
			var color modernColor
			if property.ID != "color" {
				return fmt.Errorf("the property %s of a line", property.ID)
			}
			if err := strictDecode(property.Value, &color); err != nil {
				return err
			}
			if color.Mode != "fixed" {
				return fmt.Errorf("the colour mode %s", color.Mode)
			}
			if err := g.paint(o.Matcher.Options, color.FixedColor); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *oldGraph) paint(alias, color string) error {
	hex, err := hexColor(color)
	g.SeriesOverrides = append(g.SeriesOverrides, oldSeriesOverride{Alias: alias, Color: hex})
	return err
}

func axisLimit(v *float64) *string {
	if v == nil {
		return nil
	}
	s := strconv.FormatFloat(*v, 'f', -1, 64)
	return &s
}

// statesForGrafana7 makes steps of a state-timeline, which came with Grafana 8: the numbers of the states, explained in the description. A line with
// states of its own has the right axis.
func statesForGrafana7(p modernPanel) (any, error) {
	texts, _, err := mappingsForGrafana7(p.FieldConfig.Defaults.Mappings)
	if err != nil || len(texts) == 0 {
		return nil, fmt.Errorf("no states, or %w", err)
	}
	var legend []string
	highest := 0.0
	for _, t := range texts {
		n, err := strconv.ParseFloat(t.Value, 64)
		if err != nil {
			return nil, err
		}
		highest = max(highest, n)
		legend = append(legend, t.Value+" "+t.Text)
	}
	p.Description += " The steps are: " + strings.Join(legend, ", ") + "."
	old, err := graphForGrafana7(p)
	if err != nil {
		return nil, err
	}
	none, zero := 0.0, 0.0
	old.Lines, old.SteppedLine, old.Linewidth, old.Fill = true, true, 2, 1
	old.Legend.Show = true
	old.Tooltip = oldTooltip{Shared: true, ValueType: "individual"}
	old.YAxes[0] = oldYAxis{Format: "none", LogBase: 1, Min: axisLimit(&zero), Max: axisLimit(&highest), Decimals: &none, Show: true}
	for _, o := range p.FieldConfig.Overrides {
		if o.Matcher.ID != "byName" && o.Matcher.ID != "byRegexp" { // an alias between slashes is one, too
			return nil, fmt.Errorf("an override by %s", o.Matcher.ID)
		}
		for _, property := range o.Properties {
			if property.ID != "mappings" && property.ID != "thresholds" {
				return nil, fmt.Errorf("the property %s of a line", property.ID)
			}
		}
		old.SeriesOverrides = append(old.SeriesOverrides, oldSeriesOverride{Alias: o.Matcher.Options, YAxis: 2})
		old.YAxes[1] = oldYAxis{Format: "none", Label: strings.Trim(o.Matcher.Options, "/$"), LogBase: 1, Min: axisLimit(&zero), Decimals: &none, Show: true}
	}
	return old, nil
}

var emptyFieldConfig = json.RawMessage(`{"defaults": {"custom": {}}, "overrides": []}`)
