/**
 * Files that somebody sends in a chat (CN9), fetched from their platform alone: its own hosts, over
 * TLS, without following redirects, which could carry the bot's token elsewhere. Pictures and texts
 * go to the agent with the message; what is larger or of another kind is named.
 */
import type { PromptPart } from '../protocol/turns/prompt.ts'

/** All files of one message together fit its attachments, in base64. */
const maxBytes = 480_000
const maxFiles = 5
const fetchWithinMs = 10_000
const maxNameChars = 200
const pictures = /^image\/(?:png|jpeg|gif|webp)$/

export interface FileThere {
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly url: string
}

export interface ReceivedFiles {
  readonly parts: readonly PromptPart[]
  /** The names of files that were not taken. */
  readonly left: readonly string[]
}

interface FileSource {
  /** The platform's hosts. */
  readonly hosts: readonly string[]
  /** Stands for the platform, without TLS too. */
  readonly apiRoot?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Never rejects: a file that cannot be fetched is left. */
export async function receiveFiles(
  files: readonly FileThere[],
  source: FileSource,
): Promise<ReceivedFiles> {
  const parts: PromptPart[] = []
  const left: string[] = []
  let room = maxBytes
  for (const [index, file] of files.entries()) {
    const isTried = index < maxFiles && file.size <= room && isTheirs(file.url, source)
    const bytes = isTried ? await fetched(file.url, room, source).catch(() => undefined) : undefined
    const part = bytes && partOf(file, bytes)
    if (part) parts.push(part)
    else left.push(file.name.slice(0, maxNameChars))
    if (part && bytes) room -= bytes.length
  }
  return { parts, left }
}

function isTheirs(address: string, { hosts, apiRoot }: FileSource): boolean {
  const url = URL.parse(address)
  if (!url || url.username || url.password) return false
  if (apiRoot !== undefined) return url.origin === new URL(apiRoot).origin
  return url.protocol === 'https:' && url.port === '' && hosts.includes(url.hostname)
}

async function fetched(address: string, most: number, { headers = {} }: FileSource) {
  const signal = AbortSignal.timeout(fetchWithinMs)
  const response = await fetch(address, { redirect: 'error', headers, signal })
  if (!response.ok || !response.body) return undefined
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body) {
    size += piece.length
    if (size > most) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function partOf({ name, mimeType }: FileThere, bytes: Buffer): PromptPart | undefined {
  if (bytes.length === 0) return undefined
  if (pictures.test(mimeType)) return { type: 'image', mimeType, base64: bytes.toString('base64') }
  const text = textIn(bytes)
  if (text === undefined) return undefined
  const shown = name.slice(0, maxNameChars) || 'file'
  return { type: 'file', name: shown, mimeType: mimeType || 'text/plain', text }
}

function textIn(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
