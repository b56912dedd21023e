package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// grey is the cell without judgement. Grafana 7 knows neither the colour of the text nor a transparent one: it would make both black.
const grey = "#666a73"

// palette are the colours that Grafana 7 has by name, as it draws them in its dark theme, for where it wants no name.
var palette = map[string]string{
	"red": "#F2495C", "dark-red": "#C4162A", "orange": "#FF9830", "dark-orange": "#FA6400", "yellow": "#FADE2A", "green": "#73BF69",
	"blue": "#5794F2", "dark-blue": "#1F60C4", "purple": "#B877D9",
}

func hexColor(name string) (string, error) {
	if hex := palette[name]; hex != "" {
		return hex, nil
	}
	return "", fmt.Errorf("the colour %q has no place in the palette for Grafana 7", name)
}

// namedColor: a value in the colour of the text is a fact without judgement, and such are blue.
func namedColor(name string) (string, error) {
	switch {
	case name == "text":
		return "blue", nil
	case name == plain:
		return grey, nil
	case palette[name] != "":
		return name, nil
	}
	return "", fmt.Errorf("the colour %q is not known to Grafana 7.1", name)
}

func thresholdsForGrafana7(t *oldThresholds) (*oldThresholds, error) {
	if t == nil {
		return nil, nil
	}
	if t.Mode != "absolute" {
		return nil, fmt.Errorf("thresholds are %s", t.Mode)
	}
	old := &oldThresholds{Mode: t.Mode}
	for _, s := range t.Steps {
		color, err := namedColor(s.Color)
		if err != nil {
			return nil, err
		}
		old.Steps = append(old.Steps, oldStep{color, s.Value})
	}
	return old, nil
}

// mappingsForGrafana7 are the texts, and the colours as thresholds: a mapping of Grafana 7 has none. The colour of a word is lost, for 7 colours by
// numbers alone; no thresholds say so.
func mappingsForGrafana7(mappings []modernMapping) (texts []oldMapping, colors *oldThresholds, err error) {
	type colored struct {
		value float64
		color string
	}
	var steps []colored
	words := false
	texts = []oldMapping{}
	for _, m := range mappings {
		if m.Type != "value" {
			return nil, nil, fmt.Errorf("a mapping of the type %s", m.Type)
		}
		values := make([]string, 0, len(m.Options))
		for value := range m.Options {
			values = append(values, value)
		}
		slices.SortFunc(values, func(a, b string) int {
			return cmp.Or(cmp.Compare(m.Options[a].Index, m.Options[b].Index), cmp.Compare(a, b))
		})
		for _, value := range values {
			to := m.Options[value]
			texts = append(texts, oldMapping{ID: len(texts) + 1, Type: valueToText, Value: value, Text: to.Text})
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				words = true
				continue
			}
			color, err := namedColor(to.Color)
			if err != nil {
				return nil, nil, err
			}
			steps = append(steps, colored{number, color})
		}
	}
	if words || len(steps) == 0 {
		return texts, nil, nil
	}
	slices.SortFunc(steps, func(a, b colored) int { return cmp.Compare(a.value, b.value) })
	colors = &oldThresholds{Mode: "absolute", Steps: []oldStep{{Color: steps[0].color}}}
	for _, s := range steps[1:] {
		if s.color != colors.Steps[len(colors.Steps)-1].Color {
			colors.Steps = append(colors.Steps, oldStep{s.color, &s.value})
		}
	}
	return texts, colors, nil
}

// colorsForGrafana7 are those of the mappings where these have colours; then the thresholds must have nothing to say.
func colorsForGrafana7(thresholds *oldThresholds, mappings []modernMapping) (*oldThresholds, []oldMapping, error) {
	old, err := thresholdsForGrafana7(thresholds)
	if err != nil {
		return nil, nil, err
	}
	texts, colors, err := mappingsForGrafana7(mappings)
	if err != nil || colors == nil {
		return old, texts, err
	}
	if old == nil || len(old.Steps) < 2 {
		return colors, texts, nil
	}
	if len(mappings) != 1 || len(mappings[0].Options) != 1 || mappings[0].Options["-1"].Text == "" {
		return nil, nil, errors.New("thresholds and the colours of mappings at once")
	}
	return aboveZero(colors.Steps[0].Color, old), texts, nil
}

// aboveZero gives what is below 0, a word, its colour, and the limits theirs from 0 on.
func aboveZero(below string, limits *oldThresholds) *oldThresholds {
	steps := []oldStep{{Color: below}}
	if *limits.Steps[1].Value > 0 {
		zero := 0.0
		steps = append(steps, oldStep{limits.Steps[0].Color, &zero})
	}
	return &oldThresholds{Mode: limits.Mode, Steps: append(steps, limits.Steps[1:]...)}
}

func defaultsForGrafana7(f modernFieldConfig) (oldDefaults, error) {
	d := f.Defaults
	if d.Color != nil && d.Color.Mode != "thresholds" {
		return oldDefaults{}, fmt.Errorf("the colour mode %s", d.Color.Mode)
	}
	thresholds, mappings, err := colorsForGrafana7(d.Thresholds, d.Mappings)
	return oldDefaults{
		Unit: d.Unit, NoValue: d.NoValue, Min: d.Min, Max: d.Max, Decimals: d.Decimals, Thresholds: thresholds, Mappings: mappings,
	}, err
}

// columnForGrafana7 are the properties of a column.
func columnForGrafana7(properties []modernProperty) (old []oldProperty, err error) {
	var (
		thresholds *oldThresholds
		mappings   []modernMapping
		painted    bool
	)
	for _, p := range properties {
		switch p.ID {
		case "unit", "decimals", "noValue", "custom.width", "custom.align":
			old = append(old, oldProperty{p.ID, p.Value})
		case "custom.inspect": // 7.1 cannot open a cell
		case "thresholds":
			err = strictDecode(p.Value, &thresholds)
		case "mappings":
			err = strictDecode(p.Value, &mappings)
		case "custom.cellOptions":
			var cell struct{ Type, Mode string }
			err = strictDecode(p.Value, &cell)
			if err == nil && cell.Type != "color-background" {
				err = fmt.Errorf("a cell of the type %s", cell.Type)
			}
			painted = true
		case "links":
			var links []oldDataLink
			if err = strictDecode(p.Value, &links); err != nil {
				return nil, err
			}
			for i := range links {
				if links[i].URL, err = urlForGrafana7(links[i].URL); err != nil {
					return nil, err
				}
			}
			old = append(old, oldProperty{p.ID, links})
		default:
			err = fmt.Errorf("the property %s of a column", p.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	colors, texts, err := colorsForGrafana7(thresholds, mappings)
	if err != nil {
		return nil, err
	}
	texts = append(texts, oldMapping{ID: len(texts) + 1, Type: valueToText, Value: nothing, Text: "–"})
	old = append(old, oldProperty{"mappings", texts})
	if colors != nil {
		old = append(old, oldProperty{"thresholds", colors})
		if painted {
			old = append(old, oldProperty{"custom.displayMode", "color-background"})
		}
	}
	return old, nil
}
