import * as z from 'zod'

const MAX_ADDRESS_LENGTH = 2048

export function nonBlank() {
  return z.string('must be a text').refine((text) => text.trim() !== '', 'must not be empty')
}

/** An http or https address without white space. */
export function webAddress() {
  return z
    .string('must be a text')
    .trim()
    .refine(
      (text) =>
        text.length <= MAX_ADDRESS_LENGTH && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text),
      'must be the address of a web page',
    )
}
