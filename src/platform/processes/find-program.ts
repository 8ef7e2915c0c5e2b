/** Finds a program as the system does: by path, or in the folders of PATH. Starts nothing. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

export async function findProgram(command: string, env: Variables): Promise<string | undefined> {
  const extensions =
    process.platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : ['']
  const folders =
    isAbsolute(command) || command.includes('/')
      ? ['']
      : (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  for (const folder of folders) {
    for (const extension of extensions) {
      const file = folder ? join(folder, command + extension) : command + extension
      if (await isProgram(file)) return file
    }
  }
  return undefined
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
