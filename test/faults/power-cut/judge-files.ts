/**
 * What must hold of files that are replaced: whole, and not older than what was said to be kept.
 */
import { type Findings, noFindings } from '../oracle.ts'
import type { DiskImage } from './disk.ts'
import { dataFolder } from './files-task.ts'
import { versionOf } from './versions.ts'

/** The newest text of each file that was reported as kept. */
export type Kept = Map<string, string>

/** Takes what a process reported; answers how many files it said were kept. */
export function takeKept(kept: Kept, text: string): number {
  let count = 0
  for (const line of text.split('\n')) {
    const report = line ? JSON.parse(line) : {}
    if (report.type !== 'kept') continue
    kept.set(report.file, report.text)
    count++
  }
  return count
}

const wholeToken = /^hf_owner_[\w-]{43}\n$/

export function judgeFiles(image: DiskImage, kept: ReadonlyMap<string, string>): Findings {
  const findings = noFindings()
  for (const [file, text] of kept) {
    const found = image.get(`${dataFolder}/${file}`)?.toString()
    if (found === undefined) findings.lost.push(`${file} was kept and is not there`)
    else if (file === 'secrets/owner-token') {
      if (found !== text) findings.lost.push('the owner token is not the one that was kept')
    } else if ((versionOf(found) ?? Number.POSITIVE_INFINITY) < Number(text)) {
      findings.lost.push(`${file} is at ${versionOf(found)}, but ${text} was kept`)
    }
  }
  for (const [path, bytes] of image) {
    // What a writer left behind beside the place is nobody's file.
    if (path.endsWith('.tmp') || !path.startsWith(`${dataFolder}/`)) continue
    const text = bytes.toString()
    const whole = path.endsWith('owner-token')
      ? wholeToken.test(text)
      : versionOf(text) !== undefined
    if (!whole) findings.torn.push(`${path} holds ${bytes.length} bytes that are no whole file`)
  }
  return findings
}
