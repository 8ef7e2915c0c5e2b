/** The texts of connecting an editor, in Japanese. */
import type { editors as english } from './en-words.ts'

export const editors: typeof english = {
  title: 'エディター',
  note: 'セッションはエディターからも開始、確認、回答ができます。エディターを閉じても続きます。',
  connect: 'エディターを接続',
  about:
    'エディターが Holdfast をエージェントとして起動します。そこで開いたものは、開いているフォルダーで、どのエージェントとでも、ここのセッションになります。',
  editor: 'エディター',
  settings: '設定',
  names: {
    zed: 'Zed',
    jetbrains: 'JetBrains',
    codecompanion: 'codecompanion.nvim',
    avante: 'avante.nvim',
    'agent-shell': 'agent-shell',
  },
  where: {
    zed: 'settings.json に入力します (zed: open settings):',
    jetbrains: '~/.jetbrains/acp.json に入力します:',
    codecompanion: 'codecompanion.nvim (Neovim) の setup に入力します:',
    avante: 'avante.nvim (Neovim) の setup に入力します:',
    'agent-shell': 'Emacs の初期設定ファイルに入力します:',
  },
  elsewhere:
    'このサーバーが動いているマシン用の設定で、セッションはオーナーのものになります。自分のセッションにするには、' +
    'エディターを起動する環境で HOLDFAST_TOKEN に自分のトークンを設定します。別のマシンでは、holdfast acp --print に --server を付けると設定が表示されます。',
  connectVsCode: 'VS Code を接続',
  aboutVsCode:
    'VS Code でセッションの一覧、開始、エージェントからの確認への回答ができます。ここで許可した範囲で、トークンを取り消すまであなたとして接続します。',
  address: 'VS Code 用のアドレス',
  how: (host) =>
    `VS Code のエージェントホストの設定で、アドレスに ${host}、接続トークンに tkn= の後の文字列を入力します。`,
}
