/** A JSON file that is written only when it would say something else: most changes are about one of many. */
import { readFile } from 'node:fs/promises'
import { writeFileAtomic } from '../platform/atomic-file.ts'

export async function writeJson(path: string, content: unknown): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`
  const known = await readFile(path, 'utf8').catch(() => undefined)
  if (known !== text) await writeFileAtomic(path, text)
}
