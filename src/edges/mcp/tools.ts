import * as shapes from './shapes.ts'
import { attachFile, getAttachment, listAttachments } from './tools/attachments.ts'
import { fileBug, getBug, updateBug } from './tools/bugs.ts'
import { addComment, getHistory, listComments } from './tools/discussion.ts'
import { findUsers, whoAmI } from './tools/people.ts'
import { getField, getProduct, listProducts } from './tools/places.ts'
import { findDuplicates, myRequests, searchBugs } from './tools/search.ts'
import type { Schema, Tool } from './types.ts'

/** Every tool, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  searchBugs,
  getBug,
  listComments,
  getHistory,
  listAttachments,
  getAttachment,
  findDuplicates,
  myRequests,
  listProducts,
  getProduct,
  getField,
  findUsers,
  whoAmI,
  fileBug,
  updateBug,
  addComment,
  attachFile,
]

export function argumentsOf({ effect, takes }: Tool): Readonly<Record<string, Schema>> {
  return effect === 'read' ? takes : { ...takes, idempotency_key: shapes.idempotencyKey }
}

/** A tool as clients list it. */
export function describeTool(tool: Tool) {
  const { name, title, description, effect, required = [], gives } = tool
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object' as const,
      properties: { ...argumentsOf(tool) },
      ...(required.length > 0 && { required: [...required] }),
      additionalProperties: false,
    },
    outputSchema: { type: 'object' as const, properties: { ...gives } },
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'change',
      idempotentHint: effect === 'read',
      openWorldHint: false,
    },
  }
}
