/**
 * RE2 for the whole server: its first start, its folder, its lock, its token, its store and its
 * mirror under load over HTTP. After a power cut at any moment it must come up again: with the lock
 * free, the token that was used, everything that was acknowledged, and no file that is a part of
 * one.
 */
import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '../../../src/client/client.ts'
import { prepareDataFolder } from '../../../src/platform/files/data-folder.ts'
import { lockDataFolder } from '../../../src/platform/files/data-lock.ts'
import { loadOwnerToken } from '../../../src/platform/secrets/owner-token.ts'
import { ProjectFile } from '../../../src/protocol/projects/project.ts'
import { examine } from '../examine.ts'
import { Ledger, type LoadReport } from '../ledger.ts'
import { runLoad } from '../load.ts'
import { addTo, type Findings, isClean, newTally, noFindings } from '../oracle.ts'
import { chance } from '../random.ts'
import { sendOverHttp } from '../send-over-http.ts'
import { startServer } from '../server-process.ts'
import { Disk } from './disk.ts'
import { parseDiskLog, reportRecord } from './disk-log.ts'
import { momentsOf, type PowerCutOptions, type PowerCutResult, playRecords } from './power-cut.ts'
import { scratchFolder, writeImage } from './scratch.ts'
import { shimEnvironment } from './shim.ts'
import { drawWeather } from './weather.ts'

const attemptsPerWriter = 12

export async function powerCutsOfServer({
  library,
  build,
  seed,
  images,
  stopEarly,
}: PowerCutOptions): Promise<PowerCutResult> {
  const scratch = await scratchFolder()
  const tally = newTally()
  const [ledger, disk, dice] = [new Ledger(() => 'owner'), new Disk(), chance(seed)]
  let [played, checked] = [0, 0]
  try {
    const { records, token } = await recordServer(library, build, seed, scratch.folder)
    for (const cut of momentsOf(records, dice, images)) {
      playRecords(records.slice(played, cut), disk, ledger)
      played = cut
      const weather = drawWeather(dice.fork(checked++), played)
      const folder = join(scratch.folder, 'image')
      await writeImage(folder, disk.afterPowerCut(weather))
      const where = `seed ${seed}, cut after record ${cut} of ${records.length} (${weather.name})`
      addTo(tally, await startAgain(join(folder, 'data'), ledger, token), where)
      if (stopEarly && !isClean(tally)) break
    }
    return { images: checked, acknowledged: ledger.acknowledged.size, tally }
  } finally {
    await scratch.remove()
  }
}

/**
 * The client is another process than the one that is watched: it puts its acknowledgements into the
 * log itself.
 */
async function recordServer(library: string, build: string, seed: string, scratch: string) {
  const [folder, log] = [join(scratch, 'disk'), join(scratch, 'log')]
  await mkdir(folder)
  const { DISK_REPORTS: _, ...env } = shimEnvironment(library, folder, log)
  // The demo project's repository is git's to keep.
  const server = await startServer(build, join(folder, 'data'), 0, {
    ...env,
    DISK_EXCEPT: 'data/demo:data/run/demo-unfinished',
  })
  try {
    const { url, token } = await server.ready
    const client = createClient({ url, token })
    let writing = Promise.resolve()
    const report = (one: LoadReport): void => {
      writing = writing.then(() => appendFile(log, reportRecord(`${JSON.stringify(one)}\n`)))
    }
    const send = sendOverHttp(() => client)
    await runLoad({
      run: '0',
      chance: chance(seed),
      writers: 4,
      each: attemptsPerWriter,
      again: [],
      overHttp: true,
      send,
      report,
    })
    await writing
    server.child.kill('SIGTERM')
    await server.exited
    return { records: parseDiskLog(await readFile(log)), token }
  } finally {
    server.child.kill('SIGKILL')
    await server.exited
  }
}

/** As `up` does it, up to the store. */
async function startAgain(data: string, ledger: Ledger, token: string): Promise<Findings> {
  const findings = noFindings()
  try {
    await prepareDataFolder(data, () => undefined)
    lockDataFolder(data).release()
    const found = await loadOwnerToken(data, {})
    if (ledger.acknowledged.size > 0 && found !== token)
      findings.lost.push('The token that was used is another one now')
  } catch (error) {
    findings.torn.push(`It does not start: ${String(error)}`)
  }
  findings.torn.push(...(await partsOfFiles(join(data, 'projects'))))
  const { lost, doubled, reordered, torn } = await examine({ folder: data }, ledger, false)
  findings.lost.push(...lost)
  findings.doubled.push(...doubled)
  findings.reordered.push(...reordered)
  findings.torn.push(...torn)
  return findings
}

/** CK3: a mirrored file is whole, or not there. */
async function partsOfFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries) {
    if (entry.name !== 'project.json') continue
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8')
    if (!isWhole(text))
      found.push(
        `${join(entry.parentPath, entry.name)} holds ${JSON.stringify(text.slice(0, 100))}`,
      )
  }
  return found
}

function isWhole(text: string): boolean {
  try {
    return ProjectFile.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
