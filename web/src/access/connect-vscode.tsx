/** Makes a token for VS Code and shows its address with it, once. */
import type { ReactNode } from 'react'
import { TokenCreation } from './token-creation.tsx'
import { useEditorWords } from './words.ts'

interface ConnectProps {
  readonly layout: (fields: ReactNode, submit: ReactNode) => ReactNode
  readonly onClose: () => void
}

export function ConnectVsCode({ layout, onClose }: ConnectProps) {
  const words = useEditorWords()
  const { protocol, host } = window.location
  const scheme = protocol === 'https:' ? 'wss:' : 'ws:'
  const editor = {
    title: words.connectVsCode,
    about: words.aboutVsCode,
    shown: (token: string) => ({
      title: words.address,
      value: `${scheme}//${host}/ahp?tkn=${token}`,
      text: words.how(host),
    }),
  }
  return <TokenCreation layout={layout} onClose={onClose} editor={editor} />
}
