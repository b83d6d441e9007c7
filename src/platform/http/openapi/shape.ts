import * as z from 'zod'

const json = z.record(z.string(), z.unknown())

/** The document as a whole; what its members hold is the standard's. */
export const apiDocumentShape = z.strictObject({
  openapi: z.string(),
  info: json,
  servers: z.array(json),
  externalDocs: json,
  tags: z.array(json),
  paths: z.record(z.string(), json),
  components: json,
  security: z.array(json).readonly(),
})

export type ApiDocument = z.output<typeof apiDocumentShape>
