import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { sweepExpired } from '../../../src/services/system/sweep-expired.ts'
import { getArtifact, listArtifacts, readUploadPart } from '../../../src/services/work/queries.ts'
import {
  addUploadPart,
  beginUpload,
  deleteArtifact,
  dropUpload,
  storeArtifact,
} from '../../../src/services/work/upload-artifact.ts'
import type { Store } from '../../../src/store/store.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { openProject, sharedStore } from './work-room.ts'

const shared = sharedStore()

interface Place {
  readonly projectId: string
  readonly workSessionId: string
}

async function put(store: Store, place: Place, name: string, ...parts: string[]) {
  const { uploadId } = await store.run(beginUpload, { ...place, name })
  for (const [number, text] of parts.entries())
    await store.run(addUploadPart, {
      uploadId,
      number,
      bytes: Buffer.from(text).toString('base64'),
    })
  const facts = { size: parts.join('').length, sha256: 'x', mediaType: 'text/plain', by }
  return { uploadId, ...(await store.run(storeArtifact, { ...place, name, uploadId, ...facts })) }
}

async function bytesOf(store: Store, place: Place, name: string): Promise<string> {
  const { uploadId } = await store.query(getArtifact, { ...place, name })
  let text = ''
  for (let number = 0; ; number++) {
    const part = await store.query(readUploadPart, { uploadId, number })
    if (part === null) return text
    text += Buffer.from(part, 'base64').toString()
  }
}

describe('artifacts', () => {
  test('[CK5] one is there whole once its upload is finished, and not before', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const place = { projectId, workSessionId }
    const { uploadId } = await store.run(beginUpload, { ...place, name: 'report.md' })
    await store.run(addUploadPart, { uploadId, number: 0, bytes: 'eA==' })
    expect(
      await refused(store, () => store.query(getArtifact, { ...place, name: 'report.md' })),
    ).toMatchObject({
      code: 'not_found',
    })
    const { artifact, created } = await put(store, place, 'report.md', 'hello ', 'there')
    expect(created).toBe(true)
    expect(artifact).toMatchObject({ name: 'report.md', size: 11, ['sessionId']: workSessionId })
    expect(await bytesOf(store, place, 'report.md')).toBe('hello there')
    expect((await eventsOf(store, projectStream(projectId))).at(-1)).toEqual({
      type: 'artifact-stored',
      data: { artifact, by },
    })
  })

  test('[CK5] stored again it is replaced whole, and what it was takes no room any more', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const place = { projectId, workSessionId }
    const first = await put(store, place, 'a.txt', 'one', 'two')
    const second = await put(store, place, 'a.txt', 'three')
    expect(second).toMatchObject({
      created: false,
      artifact: { createdAt: first.artifact.createdAt },
    })
    expect(await bytesOf(store, place, 'a.txt')).toBe('three')
    expect(await store.query(readUploadPart, { uploadId: first.uploadId, number: 0 })).toBeNull()
    await store.run(deleteArtifact, { ...place, name: 'a.txt', by })
    expect(await store.query(readUploadPart, { uploadId: second.uploadId, number: 0 })).toBeNull()
    expect((await store.query(listArtifacts, { ...place, limit: 5 })).items).toEqual([])
    expect(
      await refused(store, () => store.run(deleteArtifact, { ...place, name: 'a.txt', by })),
    ).toMatchObject({
      code: 'not_found',
    })
  })

  test('[CK5] names that leave the folder or would be another file are refused before a byte is taken', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const place = { projectId, workSessionId }
    await put(store, place, 'Report.md', 'x')
    for (const name of ['../x', '/etc/passwd', 'nul', '', 'report.MD'])
      expect(await refused(store, () => store.run(beginUpload, { ...place, name }))).toMatchObject({
        code: 'invalid_name',
      })
    const elsewhere = { projectId: 'nobody', workSessionId, name: 'x' }
    expect(await refused(store, () => store.run(beginUpload, elsewhere))).toMatchObject({
      code: 'not_found',
    })
  })

  test('[CK5] artifacts are listed by name, page by page', async () => {
    const { store } = shared
    const place = await openProject(store).then(({ projectId, workSessionId }) => ({
      projectId,
      workSessionId,
    }))
    for (const name of ['c', 'ä', 'a', 'B', 'b2']) await put(store, place, name, name)
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.query(listArtifacts, { ...place, limit: 2, cursor })
      names.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(names).toEqual(['B', 'a', 'b2', 'c', 'ä'])
    expect(
      await refused(store, () => store.query(listArtifacts, { ...place, limit: 2, cursor: 'x' })),
    ).toMatchObject({
      code: 'invalid_request',
    })
  })

  test('[CK5] an upload that was given up is cleared away, at once or after a day; one that is stored stays', async () => {
    const { store, clock } = shared
    const place = await openProject(store).then(({ projectId, workSessionId }) => ({
      projectId,
      workSessionId,
    }))
    const begin = async () => {
      const { uploadId } = await store.run(beginUpload, { ...place, name: 'x' })
      await store.run(addUploadPart, { uploadId, number: 0, bytes: 'eA==' })
      return uploadId
    }
    const [dropped, forgotten] = [await begin(), await begin()]
    const kept = await put(store, place, 'kept', 'y')
    await store.run(dropUpload, { uploadId: dropped })
    await store.run(dropUpload, { uploadId: kept.uploadId })
    const part = (uploadId: string) => store.query(readUploadPart, { uploadId, number: 0 })
    expect([await part(dropped), await part(forgotten)]).toEqual([null, 'eA=='])
    clock.advance(25 * 3_600_000)
    await store.run(sweepExpired, {})
    expect(await part(forgotten)).toBeNull()
    expect(await bytesOf(store, place, 'kept')).toBe('y')
    const late = { uploadId: forgotten, number: 1, bytes: 'eA==' }
    expect(await refused(store, () => store.run(addUploadPart, late))).toMatchObject({
      code: 'not_found',
    })
  })
})
