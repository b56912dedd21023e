// Shows what a Grafana of the version in the first argument makes of panels and of what Prometheus answered: reads a list of
// {panel, answers, variables} from standard input, writes a list of {error} or {columns, rows} or {values} to standard output.
// It runs Grafana's own code for the steps between a data source and a panel; what is written here is the data source's part.
'use strict';
const version = process.argv[2];
globalThis.navigator ??= { language: 'en', languages: ['en'] }; // a number's format asks the browser
const D = require('grafana-data-' + version);

// The field options that this version knows, as its getStandardFieldConfigs (@grafana/ui) and its table panel have them.
const option = (id, process, isCustom) => ({
  id: (isCustom ? 'custom.' : '') + id, path: id, name: id, isCustom, process, shouldApply: () => true, settings: {}, override: () => null, editor: () => null,
});
const options = [
  option('displayName', D.stringOverrideProcessor), option('unit', D.stringOverrideProcessor), option('noValue', D.stringOverrideProcessor),
  option('min', D.numberOverrideProcessor), option('max', D.numberOverrideProcessor), option('decimals', D.numberOverrideProcessor),
  option('thresholds', D.thresholdsOverrideProcessor), option('mappings', D.valueMappingsOverrideProcessor), option('links', D.dataLinksOverrideProcessor),
  option('width', D.numberOverrideProcessor, true), option('align', D.identityOverrideProcessor, true), option('displayMode', D.identityOverrideProcessor, true),
];
if (version === '7.5') {
  options.push(option('color', D.identityOverrideProcessor), option('filterable', D.identityOverrideProcessor, true));
}
const known = new Set(options.map(o => o.id));
const fieldConfigRegistry = new D.FieldConfigOptionsRegistry(() => options);
D.standardTransformersRegistry.setInit(() => Object.values(D.standardTransformers).map(t => ({ id: t.id, name: t.name, transformation: t, editor: () => null })));
D.locationUtil.initialize({ getConfig: () => ({ appSubUrl: '' }), buildParamsFromVariables: () => ({}), getTimeRangeForUrl: () => ({ from: 1, to: 2 }) });

// As the template service of 7.1 does it: $name, ${name}, ${name.path}; a format such as :queryparam would stay and be seen.
const replacer = variables => (text, scoped) => text.replace(/\$(\w+)|\$\{(\w+)(?:\.([^:}]+))?\}/g, (whole, a, b, path) => {
  const found = (scoped || {})[a || b] || variables[a || b] && { value: variables[a || b] };
  if (!found) return whole;
  return String(path ? path.split('.').reduce((v, key) => v === undefined ? v : v[key], found.value) ?? '' : found.value);
});

const number = text => ({ '+Inf': Infinity, '-Inf': -Infinity })[text] ?? parseFloat(text);
const legend = (format, labels) => format.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, name) => labels[name] || '');

// A table has a column without a type for each label, empty where a series does not have it; without series it has no column at all.
function tableFrame(answer, many) {
  if (answer.series.length === 0) return { refId: answer.refId, columns: [], rows: [] };
  const names = [...new Set(answer.series.flatMap(s => Object.keys(s.metric)))].sort();
  return {
    refId: answer.refId, type: 'table',
    columns: [{ text: 'Time', type: 'time' }, ...names.map(text => ({ text, filterable: true })), { text: many ? 'Value #' + answer.refId : 'Value' }],
    rows: answer.series.flatMap(s => s.values.map(([at, v]) => [at * 1000, ...names.map(n => s.metric[n] ?? ''), number(v)])),
  };
}

function seriesFrames(answer, target) {
  return answer.series.map(s => {
    const name = legend(target.legendFormat, s.metric);
    if (version === '7.1') {
      return { refId: answer.refId, target: name, title: name, tags: s.metric, datapoints: s.values.map(([at, v]) => [number(v), at * 1000]) };
    }
    return { refId: answer.refId, name, fields: [
      { name: 'Time', type: 'time', config: {}, values: s.values.map(v => v[0] * 1000) },
      { name: 'Value', type: 'number', labels: s.metric, config: { displayNameFromDS: name }, values: s.values.map(v => number(v[1])) },
    ] };
  });
}

async function transformed(transformations, frames) {
  const result = D.transformDataFrame(transformations || [], frames);
  if (!result.subscribe) return result;
  return new Promise((resolve, reject) => result.subscribe(resolve, reject));
}

function unknownProperty(fieldConfig) {
  const properties = fieldConfig.overrides.flatMap(o => o.properties.map(p => p.id));
  return [...properties, ...Object.keys(fieldConfig.defaults).filter(k => k !== 'custom')].find(id => !known.has(id));
}

const units = new Set(D.getValueFormats().flatMap(category => category.submenu.map(unit => unit.value)));

function unitsOf({ defaults, overrides }) {
  const set = overrides.flatMap(o => o.properties).filter(p => p.id === 'unit').map(p => p.value);
  return defaults.unit ? [defaults.unit, ...set] : set;
}

async function shown({ panel, answers, variables }) {
  const unknown = unknownProperty(panel.fieldConfig);
  if (unknown) throw new Error(`the field option ${unknown} is not known`);
  const unit = unitsOf(panel.fieldConfig).find(u => !units.has(u));
  if (unit) throw new Error(`the unit ${unit} is not known`);
  const raw = panel.targets.flatMap((target, i) => target.format === 'table' ? [tableFrame(answers[i], panel.targets.length > 1)] : seriesFrames(answers[i], target));
  const frames = raw.map(r => D.guessFieldTypes(D.toDataFrame(r)));
  for (const field of frames.flatMap(f => f.fields)) field.state = null;
  const replaceVariables = replacer(variables);
  const theme = { type: 'dark', isDark: true, isLight: false, colors: { panelBg: '#141619' }, palette: {} };
  const data = D.applyFieldOverrides({
    data: await transformed(panel.transformations, frames), fieldConfig: panel.fieldConfig, fieldConfigRegistry, replaceVariables,
    getDataSourceSettingsByUid: () => undefined, theme, timeZone: 'utc',
  });
  if (panel.type === 'stat') {
    const values = D.getFieldDisplayValues({ data, fieldConfig: panel.fieldConfig, reduceOptions: panel.options.reduceOptions, replaceVariables, theme, timeZone: 'utc' });
    return { values: values.map(v => ({ title: v.display.title ?? '', text: D.formattedValueToString(v.display), color: v.display.color })) };
  }
  // The table shows the first frame; more than one are a choice below it, which is never meant.
  const full = data.filter(f => f.fields.length > 0);
  if (full.length > 1) throw new Error(`${full.length} tables: ` + full.map(f => f.fields.map(x => x.name).join(' ')).join(' / '));
  const fields = full.length ? full[0].fields : [];
  return {
    columns: fields.map(f => ({ name: D.getFieldDisplayName(f, full[0], data), field: f.name, painted: (f.config.custom || {}).displayMode === 'color-background', links: (f.config.links || []).length })),
    rows: Array.from({ length: full.length ? full[0].length : 0 }, (_, row) => fields.map(f => {
      const display = f.display(f.values.get(row));
      const links = (f.config.links || []).length ? f.getLinks({ valueRowIndex: row }) : [];
      return { text: D.formattedValueToString(display), color: display.color, href: links.length ? links[0].href : '' };
    })),
  };
}

(async () => {
  const colors = names => Object.fromEntries(names.map(name => [name, D.getColorFromHexRgbOrName(name, 'dark')]));
  const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  const output = { colors: colors(input.colors), panels: [] };
  for (const one of input.panels) output.panels.push(await shown(one).catch(e => ({ error: e.message || String(e) })));
  process.stdout.write(JSON.stringify(output));
})().catch(e => { console.error(e); process.exitCode = 1; });
