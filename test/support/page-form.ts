/** What a browser would send of a form: its controls as they stand on the page. Buttons are left out. */
export function readForm(html: string, id: string): Record<string, string | string[]> {
  const [, inside = ''] =
    new RegExp(`<form[^>]* id="${id}"[^>]*>(.*?)</form>`, 's').exec(html) ?? []
  const fields: [name: string, value: string][] = []
  const controls =
    /<input([^>]*)>|<textarea([^>]*)>(.*?)<\/textarea>|<select([^>]*)>(.*?)<\/select>/gs
  for (const [, input, area, text = '', select, options = ''] of inside.matchAll(controls)) {
    const name = attribute(input ?? area ?? select ?? '', 'name') ?? ''
    if (input !== undefined) {
      const isBox = attribute(input, 'type') === 'checkbox'
      if (!isBox || / checked/.test(input)) {
        fields.push([name, attribute(input, 'value') ?? ''])
      }
    } else if (area !== undefined) {
      fields.push([name, decode(text.replace(/^\n/, ''))])
    } else {
      fields.push(
        ...selected(select ?? '', options).map((value) => [name, value] as [string, string]),
      )
    }
  }
  const byName = Map.groupBy(fields, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = all.map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

function selected(select: string, options: string): string[] {
  const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, head = '']) => head)
  const chosen = all.filter((head) => / selected/.test(head))
  const isMultiple = / multiple/.test(select)
  const sent = isMultiple || chosen.length > 0 ? chosen : all.slice(0, 1)
  return sent.map((head) => attribute(head, 'value') ?? '')
}

function attribute(head: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(head)?.[1]
  return value === undefined ? undefined : decode(value)
}

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
