package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// pluginVersion tells later versions of Grafana that the options have the form of 7.1, so that they migrate from there.
const pluginVersion = "7.1.0"

func panelsForGrafana7(panels []modernPanel) ([]any, error) {
	list := []any{}
	for _, p := range panels {
		old, err := panelForGrafana7(p)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", p.Type, p.Title, err)
		}
		list = append(list, old)
	}
	return list, nil
}

func panelForGrafana7(p modernPanel) (any, error) {
	switch p.Type {
	case "row":
		panels, err := panelsForGrafana7(p.Panels)
		return oldRow{base(p, "row"), p.Collapsed, panels}, err
	case "text":
		return textForGrafana7(p)
	case "stat":
		return statForGrafana7(p)
	case "table":
		return tableForGrafana7(p)
	case "timeseries":
		return curveForGrafana7(p)
	case "state-timeline":
		return statesForGrafana7(p)
	}
	return nil, fmt.Errorf("nothing is decided for this type of panel")
}

func base(p modernPanel, kind string) oldBase {
	return oldBase{ID: p.ID, Type: kind, Title: p.Title, Description: p.Description, GridPos: p.GridPos, PluginVersion: pluginVersion}
}

func queriesForGrafana7(p modernPanel, kind string) (oldQueries, error) {
	old := oldQueries{
		oldBase: base(p, kind), Datasource: oldSource, Interval: p.Interval, MaxDataPoints: p.MaxDataPoints,
		TimeFrom: p.TimeFrom, HideTimeOverride: p.HideTimeOverride,
	}
	for _, t := range p.Targets {
		expr, err := exprForGrafana7(t.Expr)
		if err != nil {
			return old, err
		}
		format := "time_series"
		if t.Format != "" {
			format = t.Format
		}
		old.Targets = append(old.Targets, oldTarget{t.RefID, expr, format, t.Instant, 1, t.LegendFormat})
	}
	return old, nil
}

// whenEmpty goes where only a stat shows its noValue.
func whenEmpty(p modernPanel) string {
	return p.Description + " Without data: " + p.FieldConfig.Defaults.NoValue + "."
}

func textForGrafana7(p modernPanel) (any, error) {
	old := oldText{oldBase: base(p, "text")}
	return old, strictDecode(p.Options, &old.Options)
}

func statForGrafana7(p modernPanel) (any, error) {
	var o modernStat
	if err := strictDecode(p.Options, &o); err != nil {
		return nil, err
	}
	queries, err := queriesForGrafana7(p, "stat")
	if err != nil {
		return nil, err
	}
	if o.ShowPercentChange || len(p.Transformations) > 0 || len(p.FieldConfig.Overrides) > 0 || p.FieldConfig.Defaults.Custom != nil {
		return nil, fmt.Errorf("a change in per cent, a transformation or an override")
	}
	defaults, err := defaultsForGrafana7(p.FieldConfig)
	if err != nil {
		return nil, err
	}
	for _, mode := range [][2]string{
		{o.GraphMode, "none line area"}, {o.ColorMode, "value background"}, {o.JustifyMode, "auto center"},
		{o.TextMode, "auto value value_and_name name none"}, {o.Orientation, "auto horizontal vertical"},
	} {
		if !slices.Contains(strings.Fields(mode[1]), mode[0]) {
			return nil, fmt.Errorf("the mode %q, not one of %s", mode[0], mode[1])
		}
	}
	return oldStat{queries,
		oldStatOptions{o.GraphMode, o.ColorMode, o.JustifyMode, o.TextMode, o.Orientation, oldReduce{Calcs: o.ReduceOptions.Calcs}},
		oldFieldConfig{defaults, []oldOverride{}},
	}, nil
}

func tableForGrafana7(p modernPanel) (any, error) {
	p.Description = whenEmpty(p)
	var o modernTable
	var field modernTableField
	if err := strictDecode(p.Options, &o); err != nil {
		return nil, err
	}
	if err := strictDecode(p.FieldConfig.Defaults.Custom, &field); err != nil {
		return nil, err
	}
	if o.Footer.Show {
		return nil, fmt.Errorf("a footer")
	}
	queries, err := queriesForGrafana7(p, "table")
	if err != nil {
		return nil, err
	}
	organized, err := organizedForGrafana7(p)
	if err != nil {
		return nil, err
	}
	if err := mergeable(p.Title, queries.Targets, organized.labels()); err != nil {
		return nil, err
	}
	if organized.options.RenameByName["container_id"] != "" {
		noNumber(queries.Targets, "container_id")
	}
	defaults, err := defaultsForGrafana7(p.FieldConfig)
	if err != nil {
		return nil, err
	}
	defaults.Custom.Align = field.Align
	if defaults.Unit == "string" {
		defaults.Unit = "none" // 7.1 does not know the unit and would write its name behind a node that is called 7
	}
	old := oldTable{
		oldQueries: queries, Options: oldTableOptions{o.ShowHeader, o.SortBy}, FieldConfig: oldFieldConfig{defaults, nil},
		Transformations: []oldTransformation{{"merge", &oldOrganize{}}, {"organize", organized.options}},
	}
	for _, c := range organized.columns {
		properties, err := columnForGrafana7(c.Properties)
		if err != nil {
			return nil, err
		}
		if c.Matcher.Options == organized.options.RenameByName["container_id"] {
			properties = append(properties, oldProperty{"custom.width", 150}) // with the word of noNumber
		}
		old.FieldConfig.Overrides = append(old.FieldConfig.Overrides, oldOverride{oldMatcher(c.Matcher), properties})
	}
	return old, nil
}

// organized is a table's fields in their order, and what is said of each column.
type organized struct {
	options *oldOrganize
	columns []modernOverride
}

// labels are the columns that are no numbers and that only some queries of the table have.
func (r organized) labels() (list []string) {
	for field := range r.options.RenameByName {
		if !strings.HasPrefix(field, "Value") && !slices.Contains([]string{"name", "in", "instance", "link"}, field) {
			list = append(list, field)
		}
	}
	return list
}

var hiddenFields = regexp.MustCompile(`^/\^\(([a-z|]+)\)\$/$`)

// shownAnyway are the fields that a page of today hides, yet needs in the links of its rows. Grafana hides columns from 8.3 on and 7 only drops them,
// from links too, so there they are the last columns.
var shownAnyway = map[string]string{"instance": "Instance", "link": "Cluster of the link"}

func organizedForGrafana7(p modernPanel) (organized, error) {
	result := organized{}
	var m modernOrganize
	for i, t := range p.Transformations {
		var err error
		switch {
		case t.ID == "merge" && i == 0:
			err = strictDecode(t.Options, &struct{}{})
		case t.ID == "organize" && i == 1:
			err = strictDecode(t.Options, &m)
		case t.ID == "sortBy" && i == 2: // only among equals of the column that the table is sorted by
		default:
			err = fmt.Errorf("the transformation %s at place %d", t.ID, i)
		}
		if err != nil {
			return result, err
		}
	}
	if m.IndexByName == nil {
		return result, fmt.Errorf("no order of the columns")
	}
	options := oldOrganize(m)
	result.options = &options
	for _, o := range p.FieldConfig.Overrides {
		switch o.Matcher.ID {
		case "byName":
			result.columns = append(result.columns, o)
		case "byRegexp":
			fields := hiddenFields.FindStringSubmatch(o.Matcher.Options)
			if fields == nil || len(o.Properties) != 1 || o.Properties[0].ID != "custom.hidden" {
				return result, fmt.Errorf("an override by %s that is not for hidden fields", o.Matcher.Options)
			}
			for _, name := range strings.Split(fields[1], "|") {
				if err := result.unhide(name, p); err != nil {
					return result, err
				}
			}
		default:
			return result, fmt.Errorf("an override by %s", o.Matcher.ID)
		}
	}
	return result, nil
}

// unhide shows a hidden field that a link needs, and drops any other.
func (r *organized) unhide(name string, p modernPanel) error {
	for _, o := range p.FieldConfig.Overrides {
		for _, property := range o.Properties {
			if property.ID != "links" || !strings.Contains(string(property.Value), "${__data.fields."+name+"}") {
				continue
			}
			title := shownAnyway[name]
			if title == "" {
				return fmt.Errorf("the hidden field %s has no title", name)
			}
			r.options.RenameByName[name] = title
			column := modernOverride{Properties: []modernProperty{{"noValue", []byte(`"–"`)}, {"custom.width", []byte("140")}}}
			column.Matcher.ID, column.Matcher.Options = "byName", title
			r.columns = append(r.columns, column)
			return nil
		}
	}
	delete(r.options.IndexByName, name)
	r.options.ExcludeByName[name] = true
	return nil
}
