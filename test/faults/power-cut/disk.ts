/**
 * A disk that remembers what is safe on it: the log is played into it record by record, and at any
 * moment it can say what would be found after a power cut. A file's bytes are safe after its fsync;
 * a name (created, renamed, removed) only after its folder's, whatever kinder things some file
 * systems do.
 */
import type { DiskRecord } from './disk-log.ts'
import { FileBytes, sectorsOf } from './file-bytes.ts'
import type { Weather } from './weather.ts'

class Folder {
  readonly safe = new Map<string, Entry>()
  readonly seen = new Map<string, Entry>()
  unsynced: Naming[] = []
}

type Entry = FileBytes | Folder

interface Naming {
  readonly order: number
  readonly name: string
  readonly entry: Entry | null
}

/** Paths below the folder that was watched, and what is in the files. */
export type DiskImage = ReadonlyMap<string, Buffer>

export class Disk {
  readonly #root = new Folder()
  readonly #byInode = new Map<bigint, FileBytes>()
  #order = 0

  play(record: DiskRecord): void {
    this.#order++
    const order = this.#order
    switch (record.type) {
      case 'created': {
        const file = new FileBytes()
        this.#byInode.set(record.inode, file)
        return this.#name(record.path, file)
      }
      case 'opened':
        if (!this.#byInode.has(record.inode))
          throw new Error(`${record.path} was there before the log began`)
        return
      case 'wrote':
        return this.#file(record.inode).change({
          kind: 'write',
          order,
          offset: record.offset,
          bytes: record.bytes,
        })
      case 'truncated':
        return this.#file(record.inode).change({ kind: 'length', order, length: record.length })
      case 'synced':
        return this.#file(record.inode).sync()
      case 'sync-failed':
        return this.#file(record.inode).failSync()
      case 'folder-synced':
        return this.#syncFolder(record.path)
      case 'renamed': {
        this.#name(record.to, this.#entry(record.path))
        return this.#name(record.path, null)
      }
      case 'linked':
        return this.#name(record.to, this.#entry(record.path))
      case 'unlinked':
      case 'removed-folder':
        return this.#name(record.path, null)
      case 'made-folder':
        return this.#name(record.path, new Folder())
      case 'blind':
        throw new Error(`${record.path} was changed in a way the shim cannot see`)
      case 'reported':
      case 'faulted':
        return
    }
  }

  /** As the running system sees it: must be the real folder, or the log has missed something. */
  seen(): DiskImage {
    const image = new Map<string, Buffer>()
    walk(
      this.#root,
      '',
      (folder) => folder.seen,
      (path, file) => image.set(path, file.seen),
    )
    return image
  }

  afterPowerCut(weather: Weather): DiskImage {
    const image = new Map<string, Buffer>()
    const names = (folder: Folder): Map<string, Entry> => {
      const left = new Map(folder.safe)
      for (const { name, entry } of weather.namesThatArrived(folder.unsynced)) {
        if (entry) left.set(name, entry)
        else left.delete(name)
      }
      return left
    }
    const bytes = (file: FileBytes): Buffer =>
      file.left(weather.writesThatArrived(file.open, sectorsOf))
    walk(this.#root, '', names, (path, file) => image.set(path, bytes(file)))
    return image
  }

  #file(inode: bigint): FileBytes {
    const file = this.#byInode.get(inode)
    if (!file) throw new Error(`The log writes to inode ${inode}, which it never opened`)
    return file
  }

  #entry(path: string): Entry {
    const [folder, name] = this.#place(path)
    const entry = folder.seen.get(name)
    if (!entry) throw new Error(`The log renames ${path}, which is not there`)
    return entry
  }

  #name(path: string, entry: Entry | null): void {
    const [folder, name] = this.#place(path)
    if (entry) folder.seen.set(name, entry)
    else folder.seen.delete(name)
    folder.unsynced.push({ order: this.#order, name, entry })
  }

  #syncFolder(path: string): void {
    const folder = path === '' ? this.#root : this.#entry(path)
    if (!(folder instanceof Folder)) throw new Error(`${path} is not a folder`)
    for (const { name, entry } of folder.unsynced) {
      if (entry) folder.safe.set(name, entry)
      else folder.safe.delete(name)
    }
    folder.unsynced = []
  }

  #place(path: string): [Folder, string] {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    let folder = this.#root
    for (const part of parts) {
      const next = folder.seen.get(part)
      if (!(next instanceof Folder)) throw new Error(`The log knows no folder ${part} of ${path}`)
      folder = next
    }
    return [folder, name]
  }
}

function walk(
  folder: Folder,
  path: string,
  names: (folder: Folder) => ReadonlyMap<string, Entry>,
  visit: (path: string, file: FileBytes) => void,
): void {
  for (const [name, entry] of names(folder)) {
    if (entry instanceof Folder) walk(entry, `${path}${name}/`, names, visit)
    else visit(path + name, entry)
  }
}
