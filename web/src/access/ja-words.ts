/** The texts of connecting an editor, in Japanese. */
import type { editors as english } from './en-words.ts'

export const editors: typeof english = {
  connect: 'VS Code を接続',
  about:
    'VS Code でセッションの一覧、開始、エージェントからの確認への回答ができます。ここで許可した範囲で、トークンを取り消すまであなたとして接続します。',
  address: 'VS Code 用のアドレス',
  how: (host) =>
    `VS Code のエージェントホストの設定で、アドレスに ${host}、接続トークンに tkn= の後の文字列を入力します。`,
}
