import { createHash, createHmac } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from '../command.ts'
import { errorCode, explainFileError } from './file-errors.ts'

/** The places inside the folder of the data, all absolute. */
export type StateFolder = {
  folder: string
  /** In the layout of wrangler's `--persist-to`. */
  data: string
  /** The databases of D1, in which the tracker is the only one. */
  databases: string
  /** Emptied at each start: bundles, mails, files of the runtime. */
  temporary: string
  /** Locked by the server, and there from its first start on. */
  serverLock: string
}

export function locateState(persistTo: string): StateFolder {
  const folder = resolve(persistTo)
  const data = join(folder, 'v3')
  return {
    folder,
    data,
    databases: join(data, 'd1/miniflare-D1DatabaseObject'),
    temporary: join(folder, 'tmp'),
    serverLock: join(folder, 'server.lock'),
  }
}

/** Where the data is unless `--persist-to` says otherwise. */
export const USUAL_FOLDER = '.wrangler/state'

/** What tells another command about a folder of data. */
export function flagsOfFolder(folder: string): string[] {
  return resolve(folder) === resolve(USUAL_FOLDER) ? [] : ['--persist-to', folder]
}

/**
 * Creates the folder of the data, or checks that everything in it may be written. Throws a CommandError
 * that says what to do where that is impossible.
 */
export function openStateFolder(persistTo: string): StateFolder {
  const state = locateState(persistTo)
  try {
    createFolder(state.folder)
    const probe = join(state.folder, `.probe-${process.pid}`)
    try {
      // a whole block: an empty file also fits on a full disk
      writeFileSync(probe, Buffer.alloc(BLOCK_BYTES))
    } finally {
      rmSync(probe, { force: true })
    }
    for (const file of listWrittenFiles(state)) {
      accessSync(file, constants.R_OK | constants.W_OK)
    }
  } catch (error) {
    throw explainFileError(error, state.folder)
  }
  assertOwnTemporaryFolder(state)
  return state
}

/** Each start empties it, so one with files that no server left is somebody else's. */
function assertOwnTemporaryFolder(state: StateFolder): void {
  const isOwn = isPresent(state.serverLock) || wasUsed(state)
  if (!isOwn && listFolder(state.temporary).length > 0) {
    throw new CommandError(
      `${state.temporary} has files, and no tracker has run in ${state.folder}: name a folder of its own with --persist-to.`,
    )
  }
}

/** Throws a CommandError unless there is such a folder. */
export function assertFolder(persistTo: string): void {
  if (!isPresent(persistTo)) {
    throw new CommandError(
      `There is no folder ${resolve(persistTo)}: correct --persist-to, or let npm start create it.`,
    )
  }
}

/** Deletes what ended processes left in the temporary folder. Only the holder of the lock may do so. */
export function emptyTemporaryFolder({ temporary, folder }: StateFolder): void {
  try {
    rmSync(temporary, { recursive: true, force: true })
    mkdirSync(temporary, { recursive: true })
  } catch (error) {
    throw explainFileError(error, folder)
  }
}

/**
 * The files with the database of the tracker: one, or several when its ID has changed. Throws a
 * CommandError when a folder that has been in use holds none, because a new tracker in its place would
 * hide the loss.
 */
export function findDatabaseFiles(state: StateFolder): string[] {
  const files = listFolder(state.databases)
    .filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite')
    .map((name) => join(state.databases, name))
  if (files.length === 0 && wasUsed(state)) {
    throw new CommandError(
      `The database of ${state.folder} is missing: put the *.sqlite file back into ${state.databases}, ` +
        'or begin anew in another folder with --persist-to.',
    )
  }
  return files
}

/** Whether a tracker has been ready in the folder. */
export function wasUsed({ folder, data }: StateFolder): boolean {
  return isPresent(join(folder, MARKER)) || isPresent(join(data, 'r2'))
}

/** The ID is always the same, so that the data stays when the database of a deployment gets one. */
export const D1_DATABASES = { DB: { id: 'DB' } }

/** The file that the runtime opens, whose name follows from the ID as with every Durable Object of Miniflare. */
export function locateDatabase({ databases }: StateFolder): string {
  const key = createHash('sha256').update('miniflare-D1DatabaseObject').digest()
  const sign = (text: string | Buffer) =>
    createHmac('sha256', key).update(text).digest().subarray(0, 16)
  const name = sign(D1_DATABASES.DB.id)
  return join(databases, `${Buffer.concat([name, sign(name)]).toString('hex')}.sqlite`)
}

/** Notes that the folder has a database, so that a missing one is noticed. */
export function markAsUsed({ folder }: StateFolder): void {
  try {
    writeFileSync(join(folder, MARKER), MARKER_TEXT)
  } catch (error) {
    throw explainFileError(error, folder)
  }
}

const BLOCK_BYTES = 4096
const MARKER = 'tracker.txt'
const MARKER_TEXT = `A tracker keeps its data here. Copy or move the folder as a whole, while its server is stopped:
v3 holds the database and the files, secrets.env the key that encrypts copies of API keys.
`

/** Creates a folder and those above it. The recursive mode of Node never returns for some places in /proc. */
function createFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(path).isDirectory()) {
      return
    }
    const parent = dirname(path)
    if (errorCode(error) !== 'ENOENT' || isPresent(parent)) {
      throw error
    }
    createFolder(parent)
    mkdirSync(path)
  }
}

function listWrittenFiles({ data, databases }: StateFolder): string[] {
  const folders = [data, databases, join(data, 'r2'), join(data, 'd1')].filter(isPresent)
  return [...folders, ...listFolder(databases).map((name) => join(databases, name))]
}

function isPresent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function listFolder(path: string): string[] {
  return isPresent(path) ? readdirSync(path) : []
}
