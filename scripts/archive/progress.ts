/** A line on the terminal that tells how far a command is; on other outputs, one line for each thing. */
export function showProgress(thing: string, done: number, all: number): void {
  const text = `${thing} ${done.toLocaleString('en')}${all > 0 ? ` of ${all.toLocaleString('en')}` : ''}`
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text}`)
  } else if (done === all || all === 0) {
    process.stderr.write(`${text}\n`)
  }
}

export function endProgress(): void {
  if (process.stderr.isTTY) {
    process.stderr.write('\r\x1b[K')
  }
}
