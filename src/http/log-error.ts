const MOST_FRAMES = 12

/**
 * Logs what went wrong as one line of JSON: where it happened, the kind of error, its message and where
 * it came from in the code, but no data of the request.
 */
export function logError(error: unknown, where: Readonly<Record<string, string>>): void {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error('not an error')
  const frames = stack.split('\n').filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
  console.error(
    JSON.stringify({
      level: 'error',
      ...where,
      name,
      message: withoutData(name, message),
      frames: frames.slice(0, MOST_FRAMES).map((frame) => frame.trim()),
    }),
  )
}

/** JSON that cannot be read is quoted in the message, and so are values that D1 cannot bind. */
function withoutData(name: string, message: string): string {
  return name === 'SyntaxError' ? '' : message.replace(/ for value '.*/s, '')
}
