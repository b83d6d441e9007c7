export type Statement = { sql: string; params: (string | number | null)[] }

/** A database that runs statements: several in one transaction, or one that returns rows. */
export type StatementRunner = {
  select(statement: Statement): Promise<Record<string, unknown>[]>
  run(statements: Statement[]): Promise<void>
}
