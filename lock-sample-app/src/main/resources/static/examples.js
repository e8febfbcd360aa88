// The small examples at the foot of the page.
import { clock, element, tokenEnd } from './format.js';
import { request } from './requests.js';

const REPORTS = 5;
const NEVER_SOLD_OUT = 10100102; // beside the product of the sale

const tree = (item) => {
  const list = element('ul', {}, ...item.items.map(tree));
  return element('li', {}, item.title, ' ', element('small', {
    textContent: `held ${item.holds}×, token ${tokenEnd(item.token)}`,
  }), item.items.length > 0 ? list : '');
};

export function showReport(report) {
  const list = document.getElementById('reports');
  list.querySelector('.empty')?.remove();
  list.prepend(element('li', {
    textContent: `${new Date(report.writtenAt).toLocaleTimeString('en-GB')} by ${report.instance}: ${report.orders} orders`,
  }));
  while (list.children.length > REPORTS) {
    list.lastElementChild.remove();
  }
}

const json = async (url, options) => (await request(url, options)).json();

export async function buildMenu() {
  document.getElementById('menu').replaceChildren(element('ul', {}, tree(await json('menu'))));
}

export async function sendInvoices() {
  const list = document.getElementById('invoices');
  list.replaceChildren(element('li', { textContent: 'Two requests are on their way…' }));
  const invoices = await Promise.all([1, 2].map(() => json('invoices', { method: 'POST' }))).catch((error) => {
    list.replaceChildren();
    throw error;
  });
  list.replaceChildren(...invoices.sort((a, b) => a.token - b.token).map((invoice) => element('li', {
    textContent: `token ${tokenEnd(invoice.token)}: lock held from ${clock(invoice.begun)} to ${clock(invoice.completed)}`,
  })));
}

export async function pay() {
  const list = document.getElementById('payments');
  list.replaceChildren(element('li', { textContent: 'Twelve payments are on their way…' }));
  const payments = await json('payments', { method: 'POST' }).catch((error) => {
    list.replaceChildren();
    throw error;
  });
  payments.sort((a, b) => new Date(a.begun) - new Date(b.begun));
  const permits = [...new Set(payments.map((payment) => payment.permit))].sort();
  list.replaceChildren(...permits.map((permit) => {
    const turns = payments.filter((payment) => payment.permit === permit);
    return element('li', {
      textContent: `${permit}: ${turns.map((turn) => `${clock(turn.begun)} to ${clock(turn.completed)}`).join(', ')}`,
    });
  }));
}

export async function readPrices() {
  const list = document.getElementById('prices');
  list.replaceChildren(element('li', { textContent: 'Eight readers and a writer are on their way…' }));
  const visits = await json('prices', { method: 'POST' }).catch((error) => {
    list.replaceChildren();
    throw error;
  });
  visits.sort((a, b) => new Date(a.begun) - new Date(b.begun));
  const turns = [];
  for (const visit of visits) {
    const last = turns.at(-1);
    if (last?.mode === visit.mode) {
      last.count++;
      last.completed = visit.completed;
    } else {
      turns.push({ ...visit, count: 1 });
    }
  }
  list.replaceChildren(...turns.map(({ mode, count, begun, completed }) => element('li', {
    textContent: `${mode === 'SHARED' ? `${count} readers together` : 'one writer, alone'}: ${clock(begun)} to ${clock(completed)}`,
  })));
}

export async function buyOften() {
  const statuses = [];
  for (let i = 0; i < 25; i++) {
    const response = await fetch(`products/${NEVER_SOLD_OUT}/orders`, { method: 'POST' });
    statuses.push({ status: response.status, retryAfter: response.headers.get('Retry-After') });
  }
  const refused = statuses.filter((s) => s.status === 429);
  const bought = statuses.filter((s) => s.status === 200).length;
  const others = new Map();
  statuses.filter((s) => ![200, 429].includes(s.status))
    .forEach((s) => others.set(s.status, (others.get(s.status) ?? 0) + 1));
  document.getElementById('limit').textContent = `${bought} × 200, `
    + [...others].map(([status, count]) => `${count} × ${status} (failed), `).join('')
    + `${refused.length} × 429${refused.length > 0 ? `, next one in ${refused.at(-1).retryAfter} s` : ''}`;
}
