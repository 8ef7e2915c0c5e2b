/** A file that goes with a prompt. */
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { maxPromptChars, type PromptPart } from '../../protocol/turns/prompt.ts'
import { usage } from '../failure.ts'

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/**
 * Reads a file attached to a prompt (AG6): an image by its extension, otherwise text. Limited to
 * what the server accepts (SE8).
 */
export async function readAttachment(path: string): Promise<PromptPart> {
  const name = basename(path)
  const bytes = await readFile(path).catch((error: Error) => {
    throw usage(`${name} cannot be read: ${error.message}`, 'Name a file that is there.')
  })
  const mimeType = imageTypes[extname(name).toLowerCase()]
  const part: PromptPart = mimeType
    ? { type: 'image', mimeType, base64: bytes.toString('base64') }
    : { type: 'file', name, mimeType: 'text/plain', text: textOf(bytes, name) }
  const length = part.type === 'image' ? part.base64.length : bytes.length
  if (length > maxPromptChars)
    throw usage(
      `${name} is too large to go with a prompt.`,
      `At most ${maxPromptChars / 1000} kB fit.`,
    )
  return part
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usage(
      `${name} is neither text nor a picture.`,
      'Pictures end in .png, .jpg, .gif or .webp.',
    )
  }
}
