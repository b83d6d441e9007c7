import type { RunForCaller } from '../access/cached-identity/run-for-caller.ts'
import type { Presented } from '../access/credentials.ts'
import type { Ctx } from '../context.ts'
import type { QueryCost } from '../db/session.ts'
import type { Upload } from '../lib/streaming-json-member.ts'

/** Parameters by name, before validation. */
export type Parameters = Record<string, unknown>

/** What the middleware of one request hand to each other. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    requestId: string | undefined
    presented: Presented | undefined
    /** Query and body without credentials and callback; those in the path stay with hono. */
    parameters: Parameters
    runForCaller: RunForCaller<Ctx>
    upload: Upload | null | undefined
    cost: Readonly<QueryCost> | undefined
    /** The JSON of the answer, when it is small and whole enough to be compared with later ones. */
    text: string | undefined
    /** The name of the function that a script's answer calls. */
    callback: string | undefined
    afterwards: (() => Promise<unknown>)[]
  }
}
