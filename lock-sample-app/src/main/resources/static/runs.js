// Results of the last crowds: two charts and a table.
import { colour, onSchemeChange } from './palette.js';
import { duration, element, rate } from './format.js';
import { protection } from './protections.js';

const MOST = 12;

export class Runs {
  constructor(rateCanvas, soldCanvas, body) {
    this.body = body;
    this.results = [];
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    this.rateChart = this.chart(rateCanvas, 'Sections per second', [{ label: 'sections per second' }], false);
    this.soldChart = this.chart(soldCanvas, 'Items sold', [{ label: 'from stock' }, { label: 'oversold' }], true);
    onSchemeChange(() => this.draw());
  }

  chart(canvas, title, datasets, stacked) {
    return new Chart(canvas, {
      type: 'bar',
      data: { labels: [], datasets: datasets.map((set) => ({ ...set, data: [], borderRadius: 3, maxBarThickness: 46 })) },
      options: {
        maintainAspectRatio: false,
        animation: { duration: 250 },
        plugins: {
          title: { display: true, text: title, align: 'start', font: { size: 13, weight: '600' } },
          legend: { display: stacked, position: 'top', align: 'end', labels: { boxWidth: 12, boxHeight: 12 } },
        },
        scales: { x: { stacked, grid: { display: false } }, y: { stacked, beginAtZero: true, ticks: { precision: 0 } } },
      },
    });
  }

  set(results) {
    this.results = results.slice(-MOST);
    this.draw();
  }

  add(result) {
    this.set([...this.results.filter((r) => r.id !== result.id), result]);
  }

  last(id) {
    return this.results.filter((r) => r.request.protection === id).at(-1);
  }

  draw() {
    const labels = this.results.map((r) => [`#${r.id} ${protection(r.request.protection).short}`,
      r.instances === 1 ? '1 instance' : `${r.instances} instances`]);
    const stock = (r) => r.sold - Math.min(r.sold, r.oversold);
    this.fill(this.rateChart, labels, [this.results.map((r) => Math.round(r.soldPerSecond))], ['accent']);
    this.fill(this.soldChart, labels, [this.results.map(stock), this.results.map((r) => r.oversold)],
      ['good', 'bad']);
    if (this.results.length > 0) {
      this.body.replaceChildren(...[...this.results].reverse().map((r) => this.tableRow(r)));
    }
  }

  fill(chart, labels, data, colours) {
    chart.data.labels = labels;
    chart.data.datasets.forEach((set, i) => {
      set.data = data[i];
      set.backgroundColor = colour(colours[i]);
    });
    const { plugins, scales } = chart.options;
    plugins.title.color = colour('text');
    plugins.legend.labels.color = colour('soft');
    scales.x.ticks.color = colour('soft');
    scales.y.ticks.color = colour('soft');
    scales.y.grid.color = colour('line');
    chart.update();
  }

  tableRow(r) {
    const number = (text, bad) => element('td', { className: bad ? 'n bad' : 'n', textContent: text });
    const row = element('tr', {},
      element('td', { textContent: r.id }),
      element('td', { textContent: protection(r.request.protection).name }),
      number(r.instances), number(r.request.buyers), number(r.request.atOnce), number(`${r.request.thinkMillis} ms`),
      number(r.sold), number(r.oversold, r.oversold > 0), number(r.refused), number(r.failed),
      number(rate(r.soldPerSecond)), number(duration(r.p99WaitMicros)));
    row.dataset.id = r.id;
    row.dataset.protection = r.request.protection;
    row.dataset.instances = r.instances;
    row.dataset.oversold = r.oversold;
    return row;
  }
}
