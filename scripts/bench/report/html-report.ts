import { SIZES } from '../growth.ts'
import { SCENARIOS } from '../scenarios.ts'
import { formatReport, type Report } from './report.ts'

const WIDTH = 640
const BAR = 18
const LABEL = 300

const STYLE = `body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 70rem }
pre { overflow-x: auto; background: #f5f5f5; padding: 1rem }
svg text { font: 12px system-ui, sans-serif } .p50 { fill: #2b6cb0 } .p99 { fill: #bee3f8 } .floor { stroke: #c53030 }`

/** Renders the report as one page without scripts: a bar per scenario, a baseline, and the tables. */
export function renderPage(report: Report): string {
  const title = `Lacewing with ${report.bugs.toLocaleString('en')} bugs`
  const plots = [
    ...[1, 8].map((connections) => renderLatencyPlot(report, connections)),
    ...(report.growth.length > 0 ? [renderGrowthPlot(report)] : []),
  ]
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style>
<h1>${title}</h1>
${plots.join('\n')}
<h2>Tables</h2>
<pre>${escapeHtml(formatReport(report))}</pre>
</html>
`
}

/** The p50 and p99 of each scenario; the line is the p50 of the baseline that reads one row. */
function renderLatencyPlot({ measured, floors }: Report, connections: number): string {
  const rows = measured.filter((row) => row.connections === connections)
  if (rows.length === 0) {
    return ''
  }
  const longest = Math.max(...rows.map(({ p99 }) => p99))
  const scale = (ms: number) => ((ms / longest) * (WIDTH - 60)).toFixed(1)
  const floor = floors.find((one) => one.name === 'one row' && one.connections === connections)
  const bars = rows.map(({ scenario, who, p50, p99 }, n) => {
    const y = n * BAR
    return `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escapeHtml(`${scenario}, ${who}`)}</text>
<rect class="p99" x="${LABEL}" y="${y + 2}" width="${scale(p99)}" height="${BAR - 4}"/>
<rect class="p50" x="${LABEL}" y="${y + 2}" width="${scale(p50)}" height="${BAR - 4}"/>
<text x="${LABEL + 6 + Number(scale(p99))}" y="${y + 13}">${p50.toFixed(2)}</text>`
  })
  const x = LABEL + Number(scale(floor?.p50 ?? 0))
  const line = `<line class="floor" x1="${x}" x2="${x}" y1="0" y2="${rows.length * BAR}"/>`
  return `<h2>Milliseconds with ${connections} connection${connections === 1 ? '' : 's'}</h2>
<p>Dark: p50. Light: p99. Red: p50 of a Worker that reads one row.</p>
${renderSvg(rows.length, `${bars.join('\n')}\n${line}`)}`
}

/** Rows read in the largest tracker as a multiple of those in the smallest. */
function renderGrowthPlot({ growth }: Report): string {
  const names = SCENARIOS.map(({ name }) => name).filter((name) =>
    growth.some(({ scenario }) => scenario === name),
  )
  const bars = names.map((name, n) => {
    const own = SIZES.map((bugs) =>
      growth.find((row) => row.scenario === name && row.bugs === bugs),
    )
    const factor = (own.at(-1)?.read ?? 0) / Math.max(1, own[0]?.read ?? 1)
    const width = Math.min(factor, 5) * 60
    return `<text x="${LABEL - 8}" y="${n * BAR + 13}" text-anchor="end">${escapeHtml(name)}</text>
<rect class="p50" x="${LABEL}" y="${n * BAR + 2}" width="${width.toFixed(1)}" height="${BAR - 4}"/>
<text x="${LABEL + width + 6}" y="${n * BAR + 13}">${factor.toFixed(2)}</text>`
  })
  return `<h2>Rows read at 100,000 bugs as a multiple of those at 1,000</h2>
${renderSvg(names.length, bars.join('\n'))}`
}

function renderSvg(rows: number, content: string): string {
  const width = LABEL + WIDTH
  return `<svg width="${width}" height="${rows * BAR}" role="img">${content}</svg>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
