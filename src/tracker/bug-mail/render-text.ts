import {
  formatField,
  formatTableRow,
  LINE_WIDTH,
  REPLIES_UNREAD,
  TABLE_RULE,
  wrapText,
} from '../../platform/mail/layout.ts'
import type { MailBlock, MailDocument } from './document.ts'

/** Renders a mail as plain text, its parts apart by an empty line. */
export function renderMailText(document: MailDocument): string {
  return `${document.map(renderBlock).join('\n\n')}\n`
}

function renderBlock(block: MailBlock): string {
  switch (block.kind) {
    case 'link':
      return block.url
    case 'sentence':
      return block.text
    case 'fields':
      return block.fields.map(([label, value]) => formatField(label, value)).join('\n')
    case 'table': {
      const [what, removed, added] = block.head
      // the word stands apart from the labels below it, which end at the right
      const head = formatTableRow([`${what}    `, removed, added])
      return [block.title, '', head, TABLE_RULE, ...block.rows.map(formatTableRow)].join('\n')
    }
    case 'comment':
      return renderComment(block)
    case 'bugs': {
      const lines = block.bugs.flatMap(({ url, text }) => (url === null ? [text] : [url, text]))
      return [block.title, '', ...lines].join('\n')
    }
    case 'footer':
      return [
        '-- ',
        ...block.lines,
        ...block.links.map(({ label, url }) => `${label}: ${url}`),
        REPLIES_UNREAD,
      ].join('\n')
  }
}

function renderComment({
  title,
  url,
  attachment,
  body,
  note,
}: Extract<MailBlock, { kind: 'comment' }>): string {
  const link = attachment?.url == null ? [] : [`  --> ${attachment.url}`]
  const head = attachment === null ? [] : [attachment.title, ...link, attachment.summary]
  const text = [head.join('\n'), wrapText(body, LINE_WIDTH), note]
    .filter((part) => part !== '')
    .join('\n\n')
  return title === null
    ? text
    : [`--- ${title} ---`, ...(url === null ? [] : [url]), text].join('\n')
}
