/**
 * The position of a reader: the store's incarnation and the last number seen of each stream, opaque to clients. A cursor that
 * cannot be parsed or is of another incarnation is unknown; its holder gets a snapshot.
 */
import { parseStream, type StreamName } from '../../domain/stream-name.ts'

export type Heads = ReadonlyMap<StreamName, number>

export const encodeCursor = (incarnation: string, heads: Heads): string =>
  Buffer.from(JSON.stringify([incarnation, ...[...heads].flat()])).toString('base64url')

export function decodeCursor(text: string): { incarnation: string; heads: Heads } | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || typeof parts[0] !== 'string' || parts.length % 2 !== 1) return undefined
  const heads = new Map<StreamName, number>()
  for (let index = 1; index < parts.length; index += 2) {
    const [name, head] = [parts[index], parts[index + 1]]
    if (typeof name !== 'string' || !parseStream(name) || !Number.isSafeInteger(head) || head < 0) return undefined
    heads.set(name as StreamName, head)
  }
  return { incarnation: parts[0], heads }
}
