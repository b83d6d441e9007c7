export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-')
}
