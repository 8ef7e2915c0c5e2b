/** The words of installing an agent and signing it in, in Japanese. */
import type { preparation as english } from './en-words.ts'

export const preparation: typeof english = {
  install: 'インストール',
  installName: (name) => `${name} をインストール`,
  states: {
    install: (name) => `${name} をインストール中…`,
    sign_in: (name) => `${name} にサインイン中…`,
  },
  done: {
    install: (name) => `${name} をインストールしました`,
    sign_in: (name) => `${name} にサインインしました`,
  },
  cancelled: 'キャンセルしました。',
  cancel: 'キャンセル',
  cancelOf: (name) => `${name} をキャンセル`,
  output: '出力',
  open: '開く',
  openThere: (host) => `${host} を開く`,
  typeThere: '開いたページで入力:',
  codeName: 'コード',
  code: '開いたページに表示されるコード',
  send: 'サインイン',
  again: 'もう一度試す',
}
