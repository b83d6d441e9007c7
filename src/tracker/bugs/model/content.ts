/** Whether a parameter has content: no, false, nothing and an empty list or object are none. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((item) => !isEmpty(item))
  }
  return !isEmpty(value) && ![false, 0, '0', 'false'].includes(value as never)
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.every((item) => !Array.isArray(item) && isEmpty(item)))
  )
}
