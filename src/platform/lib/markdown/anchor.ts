/** The anchor of a heading, as renderers of Markdown make it. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-')
}
