/** Writes JSON files, and only when their content changes: most changes concern one of many. */
import { writeFileAtomic } from '../platform/atomic-file.ts'
import { readPlainFile } from '../platform/plain-file.ts'

export const jsonText = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`

export async function writeJson(path: string, content: unknown): Promise<void> {
  const text = jsonText(content)
  const known = await readPlainFile(path).catch(() => undefined)
  if (known !== text) await writeFileAtomic(path, text)
}
