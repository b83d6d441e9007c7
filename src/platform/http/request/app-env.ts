import type { RunForCaller } from '../../access/cached-identity/run-for-caller.ts'
import type { PresentedCredentials } from '../../access/credentials.ts'
import type { Ctx, NamedList } from '../../context.ts'
import type { QueryCost } from '../../db/session.ts'
import type { Upload } from '../../lib/streaming-json-member.ts'
import type { Holding } from '../../load/capacity.ts'

export type Parameters = Record<string, unknown>

/** What a request takes of a limit of its caller. */
export type QuotaUse = {
  readonly name: string
  readonly limit: number
  /** How many requests are left, to the knowledge of this isolate; below 0 when this one is refused. */
  readonly left: number
  readonly seconds: number
}

/** What the middleware of one request passes on. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    requestId: string | undefined
    credentials: PresentedCredentials | undefined
    /** Query and body without credentials and callback; those in the path stay with hono. */
    parameters: Parameters
    runForCaller: RunForCaller<Ctx>
    /** As what it counts among the requests that wait for their answers. */
    admission: Holding<string> | undefined
    upload: Upload | null | undefined
    /** What its body holds until it is answered. */
    uploadMemory: { release(): void } | undefined
    /** What a page was sent, as it is read for the first time. */
    form: Promise<FormData> | undefined
    /** Whether the sender of a long body was identified before it was read. */
    isSenderKnown: boolean | undefined
    cost: QueryCost | undefined
    /** Whether the caller is told the cost of the response even without SERVER_TIMING. */
    isAdministrator: boolean | undefined
    /** What the request takes of a limit of its caller. */
    quota: QuotaUse | undefined
    /** The JSON of the answer, for its tag; undefined for streamed and for very long answers. */
    taggedText: string | undefined
    /** The tag of that text, where it is known already. */
    tag: string | undefined
    /** Names that the operations of the request do not use, by where they stand. */
    unused: ReadonlyMap<NamedList, readonly string[]> | undefined
    /** Whether such parameters are refused. */
    refusesUnused: boolean | undefined
    /** Headers that this answer alone has. */
    ownHeaders: readonly (readonly [name: string, value: string])[] | undefined
    /** Whether caches may keep the answer if no credential came with the request. */
    isPublic: boolean | undefined
    callback: string | undefined
    /** Work to begin when the answer is complete. */
    deferredWork: (() => Promise<unknown>)[]
  }
}
