import type { Upload } from '../lib/streaming-json-member.ts'
import { commaList } from '../lib/text.ts'
import type { Settings } from '../settings.ts'

type LinkSettings = Pick<Settings, 'LINK_CONTENT_TYPE' | 'LINK_HOSTS'>

const MAX_LINK_BYTES = 2048
/** A plain text that is longer is more than a link, whatever it begins with. */
const MAX_PLAIN_LINK_BYTES = 256

/** Pull and merge requests as code hosts address them; characters that need no escape. */
const PULL_REQUEST_PATH = /^(\/[\w.~-]+){2,}(\/pulls?\/\d+|\/-\/merge_requests\/\d+)\/?$/

/**
 * The address that an attachment of this type leads to, null when it is no link: its type says so, or it
 * is a plain text that is nothing but the address of a pull request on one of the code hosts.
 */
export function findLink(
  { size, blocks }: Upload,
  contentType: string,
  settings: LinkSettings,
): string | null {
  const isLink = isLinkType(contentType, settings)
  const isPlain = contentType.split(';')[0]?.toLowerCase() === 'text/plain'
  if (size > MAX_LINK_BYTES || !(isLink || (isPlain && size <= MAX_PLAIN_LINK_BYTES))) {
    return null
  }
  const decoder = new TextDecoder()
  const text = blocks
    .map((block) => decoder.decode(block, { stream: true }))
    .join('')
    .trim()
  return isCodeHostLink(text, settings) ? text : null
}

/** Whether people may be sent to an address: a pull request on a code host of the settings, over https. */
export function isCodeHostLink(address: string, { LINK_HOSTS }: LinkSettings): boolean {
  if (!/^https:\/\/[\w.:-]+\/[\w.~/-]+$/i.test(address) || !URL.canParse(address)) {
    return false
  }
  const { host, pathname } = new URL(address)
  return commaList(LINK_HOSTS.toLowerCase()).includes(host) && PULL_REQUEST_PATH.test(pathname)
}

/** Whether attachments of this type are links. */
export function isLinkType(contentType: string, { LINK_CONTENT_TYPE }: LinkSettings): boolean {
  return contentType.toLowerCase() === LINK_CONTENT_TYPE.toLowerCase()
}
