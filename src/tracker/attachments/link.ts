import type { Upload } from '../../platform/lib/streaming-json-member.ts'
import { commaList } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'

type LinkSettings = Pick<Settings, 'LINK_CONTENT_TYPE' | 'LINK_HOSTS'>

const MAX_LINK_BYTES = 2048
/** A longer plain text is no link, even if it is a URL. */
const MAX_PLAIN_LINK_BYTES = 256

/** Paths of pull and merge requests, without characters that need an escape. */
const PULL_REQUEST_PATH = /^(\/[\w.~-]+){2,}(\/pulls?\/\d+|\/-\/merge_requests\/\d+)\/?$/

/**
 * The URL of a link attachment, whose bytes have the link type, or are plain text, and are just the URL of a
 * pull request on one of the code hosts. Null for other attachments.
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

/** Whether a redirect to an address is safe: an https URL of a pull request on a host in the settings. */
export function isCodeHostLink(address: string, { LINK_HOSTS }: LinkSettings): boolean {
  if (!/^https:\/\/[\w.:-]+\/[\w.~/-]+$/i.test(address) || !URL.canParse(address)) {
    return false
  }
  const { host, pathname } = new URL(address)
  return commaList(LINK_HOSTS.toLowerCase()).includes(host) && PULL_REQUEST_PATH.test(pathname)
}

export function isLinkType(contentType: string, { LINK_CONTENT_TYPE }: LinkSettings): boolean {
  return contentType.toLowerCase() === LINK_CONTENT_TYPE.toLowerCase()
}
