/** The source of randomness for use cases. */
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { newSecret } from './secrets.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** Larger bytes are rejected, so that all letters are equally likely. */
const fairBytes = 256 - (256 % letters.length)

export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < fairBytes && text.length < length) text += letters[byte % letters.length]
    }
  }
  return text
}

export const randomness = {
  text: randomText,
  uuid: (): string => randomUUIDv7(),
  secret: newSecret,
}
