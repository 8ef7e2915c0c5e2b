/** Finds the files of a folder, several levels deep. Links are not followed. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { filesAtOnce } from './limits.ts'

/** Paths of plain files at most so many folders below, those of the newest names first. */
export async function* filesBelow(folder: string, depth: number): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  entries.sort((a, b) => (a.name < b.name ? 1 : -1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && depth > 0) yield* filesBelow(path, depth - 1)
  }
}

/** Applies `look` to each item, a few at once, and gives what comes of it in the order of items. */
export async function* eachOf<Item, Found>(
  items: AsyncIterable<Item>,
  look: (item: Item) => Promise<Found>,
): AsyncGenerator<Found> {
  const running: Promise<Found>[] = []
  for await (const item of items) {
    running.push(look(item))
    const first = running.length >= filesAtOnce ? running.shift() : undefined
    if (first) yield await first
  }
  for (const each of running) yield await each
}

export async function* jsonlBelow(root: string, depth: number): AsyncGenerator<string> {
  for await (const file of filesBelow(root, depth)) if (file.endsWith('.jsonl')) yield file
}
