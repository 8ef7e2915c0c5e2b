/** Words of the fields that say how an agent is isolated. */
import type { sandboxWords as english } from './en-sandbox.ts'

export const sandboxWords: typeof english = {
  sandbox: 'サンドボックス',
  sandboxes: { auto: '自動', off: 'オフ', workplace: '作業場所', strict: '厳格' },
  sandboxHints: {
    auto: 'まずサンドボックスで試します。動けば「作業場所」、動かなければオフになります',
    off: 'あなたが読み書きできるものは、すべて読み書きできます',
    workplace: '自分の作業場所と設定、インターネットだけが見え、このマシンのほかのものは見えません',
    strict: 'さらに、許可されたホストにだけ接続できます',
  },
  sandboxChosen: (mode: 'off' | 'workplace' | 'strict'): string =>
    mode === 'off'
      ? 'サンドボックスなしで動きます。ここではサンドボックス内で動きませんでした。不足しているものは `holdfast doctor` で分かります。'
      : '試したうえで、サンドボックス内で動きます。設定でオフにできます。',
  reachesHost: (host) => `サンドボックスから ${host} に接続する`,
  readsFolder: (folder) => `サンドボックスから ${folder} を読み取る`,
  sandboxAnswers: {
    'Allow for this turn': 'このターンだけ許可',
    'Allow for an hour': '1 時間許可',
    'Keep refusing': '拒否したままにする',
  },
  allowFolders: '読み取りを許可するフォルダー',
  allowFoldersHint: '1 行に 1 つのパス',
  allowHosts: '接続を許可するホスト',
  allowHostsHint: '1 行に 1 つ: 名前、名前:ポート、または *.名前',
  allowState: '専用ホームに最初に入れるもの',
  allowStateHint:
    'Holdfast が知らないエージェント用: ホームのファイルやフォルダーを 1 行に 1 つのパスで。1 度だけコピーします',
  wrapper: '前に置くコマンド',
  wrapperHint: '1 行に 1 語 (nix、develop、-c など)。エージェントはこのコマンドで起動されます',
  gateway: 'モデルの鍵',
  gateways: { off: 'エージェント自身のもの', on: 'プロジェクトのシークレット' },
  gatewayHints: {
    off: 'エージェント自身のサインイン、または環境変数の鍵を使います',
    on: 'リクエストは Holdfast を通り、鍵はそこで加えられ、トークンが数えられます。エージェントに鍵は見えません',
  },
  upstream: 'モデルのアドレス',
  upstreamProblem: 'http:// または https:// で始まるアドレスにしてください',
  gatewaySecret: 'シークレットの名前',
  gatewaySecretHint: '作業するプロジェクトのもの。holdfast secrets set NAME で設定します',
  gatewayModel: 'モデル',
  gatewayModelHint: '使うモデルを指定する必要があるエージェントの場合',
}
