/** The submodules of a checkout that have files, whether `.gitmodules` knows of them or not. */
import { lstat } from 'node:fs/promises'
import { placeOf, wordsIn } from './file-name.ts'
import type { Repository } from './repository.ts'

/** How git's index marks an entry that is a commit of another repository. */
const gitlink = '160000 '

export async function submodulesIn(repository: Repository): Promise<Buffer[]> {
  const words = wordsIn(await repository.bytes(['ls-files', '--stage', '-z'], { wordsBeginning: gitlink }))
  const names = new Map(words.map((word) => [word.toString('latin1'), word.subarray(word.indexOf('\t') + 1)]))
  const { top } = repository.facts
  const there = async (name: Buffer) =>
    (await lstat(placeOf(top, Buffer.concat([name, Buffer.from('/.git')]))).catch(() => undefined)) ? [name] : []
  return (await Promise.all([...names.values()].map(there))).flat()
}
