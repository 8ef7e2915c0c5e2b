/**
 * Opens an address in the browser with the platform's command, without a shell, and does not wait
 * for it.
 */
import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** The command; undefined where there is no screen. */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform,
  env: Environment,
): [file: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  if (env['BROWSER']) return [env['BROWSER'], url]
  if (env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME']) return ['xdg-open', url]
  return undefined
}

/** Whether the command could be started; it may still fail. */
export async function openBrowser(url: string, env: Environment): Promise<boolean> {
  const command = browserCommand(url, process.platform, env)
  if (!command) return false
  const [file, ...args] = command
  const child = spawn(file, args, { stdio: 'ignore', detached: true })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
