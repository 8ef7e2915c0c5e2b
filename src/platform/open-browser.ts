/** Opens an address in the person's browser, through what the platform offers for it. Starts a program without a shell and waits for nothing. */
import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** What to start, or undefined where there is no screen to show a browser on. */
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

/** Whether a program could be started; it may still fail on its own. */
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
