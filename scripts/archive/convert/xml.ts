import { createReadStream } from 'node:fs'
import sax from 'sax'
import { CommandError } from '../../command.ts'
import type { Members } from '../fetch/read.ts'
import { readAttachment, readBug, readComments } from '../fetch/read-bug.ts'
import { storeFile } from '../fetch/store-file.ts'
import type { SourceAttachment, SourceBug } from '../source/shapes.ts'
import type { Conversion } from './convert.ts'

/** An element with its attributes as members; what repeats is a list, and text alone is a text. */
type Node = { name: string; members: Record<string, unknown>; text: string }

/** Elements of bugs by the members that they are in the API. */
const MEMBERS: Readonly<Record<string, string>> = {
  bug_id: 'id',
  creation_ts: 'creation_time',
  delta_ts: 'last_change_time',
  short_desc: 'summary',
  reporter_accessible: 'is_creator_accessible',
  cclist_accessible: 'is_cc_accessible',
  rep_platform: 'platform',
  bug_status: 'status',
  dup_id: 'dupe_of',
  bug_file_loc: 'url',
  status_whiteboard: 'whiteboard',
  bug_severity: 'severity',
  bug_type: 'type',
  dependson: 'depends_on',
  everconfirmed: 'is_confirmed',
  reporter: 'creator',
  group: 'groups',
  flag: 'flags',
}

const PEOPLE = ['creator', 'assigned_to', 'qa_contact']

/** The bugs of a file that `show_bug.cgi?ctype=xml` of a Bugzilla has answered. */
export async function* convertXml({
  from,
  folder,
  notes,
  describe,
}: Conversion): AsyncGenerator<SourceBug> {
  notes.add('the XML has no history, tags of comments, descriptions of fields, or who watches what')
  for await (const node of readElements(from, (root) => {
    const name = typeof root.urlbase === 'string' ? root.urlbase.replace(/\/+$/, '') : ''
    describe({ name: name || from })
  })) {
    const bug = toBug(node, folder)
    const id = String(node.members.bug_id ?? '?')
    if (node.members.error !== undefined) {
      notes.add(`bugs that the source refuses are left out (${node.members.error})`, `bug ${id}`)
    } else if (bug === null) {
      notes.add('bugs without a product or a time are left out', `bug ${id}`)
    } else {
      yield bug
    }
  }
}

function toBug({ members: given }: Node, folder: string): SourceBug | null {
  const members = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [MEMBERS[name] ?? name, value]),
  )
  const people = PEOPLE.flatMap((name) => {
    const person = members[name]
    return typeof person === 'object' && person !== null
      ? [[`${name}_detail`, { name: textOf(person), real_name: (person as Members).name }]]
      : []
  })
  // elements with attributes, such as groups with their numbers, count by their text
  const plain = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      name === 'flags' ? value : Array.isArray(value) ? value.map(textOf) : textOf(value),
    ]),
  )
  const keywords = textOf(members.keywords)
    .split(',')
    .map((name) => name.trim())
  const comments = listOf(given.long_desc).map((one) => {
    const comment = one as Members
    return {
      id: textOf(comment.commentid),
      creator: textOf(comment.who),
      creation_time: textOf(comment.bug_when),
      text: textOf(comment.thetext),
      is_private: comment.isprivate,
      attachment_id: textOf(comment.attachid),
    }
  })
  return readBug(
    { ...plain, ...Object.fromEntries(people), keywords },
    {
      ...{ comments: readComments(comments), history: [] },
      attachments: listOf(given.attachment).flatMap((one) => toAttachment(one as Members, folder)),
    },
  )
}

function toAttachment(given: Members, folder: string): SourceAttachment[] {
  const attachment = readAttachment({
    id: textOf(given.attachid),
    creator: textOf(given.attacher),
    creation_time: textOf(given.date),
    last_change_time: textOf(given.delta_ts),
    file_name: textOf(given.filename),
    summary: textOf(given.desc),
    content_type: textOf(given.type),
    size: textOf(given.size),
    is_private: given.isprivate,
    is_obsolete: given.isobsolete,
    is_patch: given.ispatch,
    flags: given.flag,
  })
  const data = typeof given.data === 'object' ? textOf(given.data) : ''
  return attachment === null
    ? []
    : [
        {
          ...attachment,
          ...storeFile(folder, attachment, data === '' ? null : Buffer.from(data, 'base64')),
        },
      ]
}

function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return textOf((value as Members)['#text'])
  }
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}

/** The `bug` elements of a file, one after the other. Only one is in memory. */
async function* readElements(
  path: string,
  onRoot: (attributes: Members) => void,
): AsyncGenerator<Node> {
  const parser = sax.parser(true)
  const open: Node[] = []
  let done: Node[] = []
  parser.onopentag = ({ name, attributes }) => {
    if (open.length === 0) {
      onRoot(attributes)
    }
    open.push({ name, members: { ...attributes }, text: '' })
  }
  const addText = (text: string) => {
    const top = open.at(-1)
    if (top !== undefined) {
      top.text += text
    }
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.onclosetag = () => {
    const node = open.pop()
    if (node === undefined) {
      return
    }
    if (open.length === 1 && node.name === 'bug') {
      done.push(node)
    } else if (open.length > 1) {
      addMember(open.at(-1) as Node, node)
    }
  }
  parser.onerror = (error) => {
    throw new CommandError(`${path}: ${error.message.split('\n')[0]} in line ${parser.line + 1}.`)
  }
  const decoder = new TextDecoder()
  for await (const piece of createReadStream(path)) {
    parser.write(decoder.decode(piece as Buffer, { stream: true }))
    yield* done
    done = []
  }
  parser.close()
  yield* done
}

function addMember({ members }: Node, { name, members: own, text }: Node): void {
  const value = Object.keys(own).length === 0 ? text : { ...own, '#text': text }
  const before = members[name]
  members[name] = before === undefined ? value : [...listOf(before), value]
}
