/** One line on a terminal that is written over; what is no terminal gets it when it is finished. */
export function progress(title: string): { tell(state: string): void; end(): void } {
  const isTerminal = process.stderr.isTTY === true
  let last = 0
  return {
    tell(state) {
      const now = Date.now()
      if (isTerminal && now - last > 100) {
        last = now
        process.stderr.write(`\r${title}: ${state}   `)
      }
    },
    end() {
      process.stderr.write(isTerminal ? `\r${title}: done${' '.repeat(60)}\n` : `${title}: done\n`)
    },
  }
}
