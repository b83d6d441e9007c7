import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { CommandError } from '../../command.ts'

const names = z.record(z.string(), z.string())

const mappingShape = z.strictObject({
  /** Logins that become others, such as those of people with two accounts. */
  people: names.default({}),
  /** By field, values that become others. */
  values: z.record(z.string(), names).default({}),
  /** Custom fields that get other names; null leaves one out. */
  fields: z
    .record(
      z.string(),
      z
        .string()
        .regex(/^cf_\w+$/)
        .nullable(),
    )
    .default({}),
  /** By member of bugs, the column of a CSV file. */
  columns: names.default({}),
  /** Members of bugs that a CSV file does not have. */
  constants: names.default({}),
  /** By product, the groups that its bugs were in so far. Written by the command. */
  groups: z.record(z.string(), z.array(z.string())).default({}),
  /** What is not known here, and what became of it. Written by the command. */
  notes: z.array(z.string()).default([]),
  /** Numbers of what has none in the source, so that later archives have the same. Written by the command. */
  numbers: z.record(z.string(), z.record(z.string(), z.int().positive())).default({}),
})

export type Mapping = z.output<typeof mappingShape>

/** The mapping file of a command, or an empty one. Throws a CommandError that names what does not fit. */
export function readMapping(path: string | undefined): Mapping {
  if (path === undefined) {
    return mappingShape.parse({})
  }
  if (!existsSync(path)) {
    throw new CommandError(`${path} does not exist.`)
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new CommandError(`${path} is not valid JSON.`)
  }
  const parsed = mappingShape.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new CommandError(`${path}: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  return parsed.data
}
