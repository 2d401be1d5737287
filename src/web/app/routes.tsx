import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { Waiting } from './parts/loaded.tsx'
import { Broken } from './shell/broken.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'

/** One line a page; each is a chunk of its own, loaded when somebody is about to go there. */

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component })

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
  ),
  page(
    '/buy',
    lazyRouteComponent(() => import('./pages/buy/buy.tsx'), 'BuyPage'),
  ),
  page(
    '/withdraw',
    lazyRouteComponent(() => import('./pages/withdraw/withdraw.tsx'), 'WithdrawPage'),
  ),
  page(
    '/history',
    lazyRouteComponent(() => import('./pages/history/history.tsx'), 'HistoryPage'),
  ),
  page(
    '/playground',
    lazyRouteComponent(() => import('./pages/playground/playground.tsx'), 'PlaygroundPage'),
  ),
  page(
    '/jobs',
    lazyRouteComponent(() => import('./pages/jobs/jobs.tsx'), 'JobsPage'),
  ),
  page(
    '/jobs/$id',
    lazyRouteComponent(() => import('./pages/job/job.tsx'), 'JobPage'),
  ),
  page(
    '/models',
    lazyRouteComponent(() => import('./pages/models/models.tsx'), 'ModelsPage'),
  ),
  page(
    '/network',
    lazyRouteComponent(() => import('./pages/network/network.tsx'), 'NetworkPage'),
  ),
  page(
    '/key',
    lazyRouteComponent(() => import('./pages/keys/keys.tsx'), 'KeyPage'),
  ),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
  ),
  page(
    '/webhooks/$id',
    lazyRouteComponent(() => import('./pages/webhooks/webhook.tsx'), 'WebhookPage'),
  ),
  page(
    '/settings',
    lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
  ),
  page(
    '/workers',
    lazyRouteComponent(() => import('./pages/workers/workers.tsx'), 'WorkersPage'),
  ),
  page(
    '/workers/$address',
    lazyRouteComponent(() => import('./pages/workers/worker.tsx'), 'WorkerPage'),
  ),
  page(
    '/governance',
    lazyRouteComponent(() => import('./pages/governance/governance.tsx'), 'GovernancePage'),
  ),
  page(
    '/governance/$id',
    lazyRouteComponent(() => import('./pages/governance/proposal.tsx'), 'ProposalPage'),
  ),
  page(
    '/explorer',
    lazyRouteComponent(() => import('./pages/explorer/explorer.tsx'), 'ExplorerPage'),
  ),
  page(
    '/explorer/tx/$hash',
    lazyRouteComponent(() => import('./pages/explorer/transaction.tsx'), 'TransactionPage'),
  ),
  page(
    '/explorer/block/$block',
    lazyRouteComponent(() => import('./pages/explorer/block.tsx'), 'BlockPage'),
  ),
  page(
    '/explorer/address/$address',
    lazyRouteComponent(() => import('./pages/explorer/address.tsx'), 'AddressPage'),
  ),
  page(
    '/explorer/job/$id',
    lazyRouteComponent(() => import('./pages/explorer/job.tsx'), 'JobOnChainPage'),
  ),
]

export function makeRoutes() {
  return createRouter({
    routeTree: root.addChildren(pages),
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Waiting lines={4} />,
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  })
}
