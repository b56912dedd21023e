package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// state is a value that is shown as a word, in a colour.
type state struct {
	value int
	text  string
	color string
}

func states(list ...state) []dashboard.ValueMapping {
	m := dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: map[string]dashboard.ValueMappingResult{}}
	for i, s := range list {
		m.Options[fmt.Sprint(s.value)] = dashboard.ValueMappingResult{Text: &list[i].text, Color: &list[i].color, Index: cog.ToPtr(int32(i))}
	}
	return []dashboard.ValueMapping{{ValueMap: &m}}
}

// inWords gives the values of a number their words, and that of orUnscraped its own.
func inWords(p *dashboard.Panel, list ...state) {
	p.FieldConfig.Defaults.Mappings = states(append(list[:len(list):len(list)], state{-1, noExporter, "text"})...)
}

func severities() []dashboard.ValueMapping {
	m := dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: map[string]dashboard.ValueMappingResult{}}
	for name, color := range map[string]string{"critical": darkRed, "warning": darkOrange, "info": darkBlue} {
		m.Options[name] = dashboard.ValueMappingResult{Text: cog.ToPtr(name), Color: cog.ToPtr(color)}
	}
	return []dashboard.ValueMapping{{ValueMap: &m}}
}
