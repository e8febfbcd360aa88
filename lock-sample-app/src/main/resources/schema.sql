CREATE TABLE IF NOT EXISTS product (
  id      BIGINT PRIMARY KEY,
  offered INT    NOT NULL,
  stock   INT    NOT NULL
);

CREATE TABLE IF NOT EXISTS orders (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  product_id BIGINT NOT NULL REFERENCES product
);
CREATE INDEX IF NOT EXISTS orders_by_product ON orders (product_id);

CREATE TABLE IF NOT EXISTS crowd (
  id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  protection      VARCHAR(20) NOT NULL,
  buyers          INT NOT NULL,
  at_once         INT NOT NULL,
  think_millis    INT NOT NULL,
  instances       INT NOT NULL,
  sold            INT NOT NULL,
  oversold        INT NOT NULL,
  refused         INT NOT NULL,
  failed          INT NOT NULL,
  sold_per_second DOUBLE PRECISION NOT NULL,
  p99_wait_micros BIGINT NOT NULL
);
ALTER TABLE crowd ADD COLUMN IF NOT EXISTS commits_refused INT NOT NULL DEFAULT 0;
ALTER TABLE crowd ADD COLUMN IF NOT EXISTS mishaps VARCHAR(20) NOT NULL DEFAULT '';

CREATE TABLE IF NOT EXISTS report (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  written_at TIMESTAMP WITH TIME ZONE NOT NULL,
  instance   VARCHAR(10) NOT NULL,
  orders     INT NOT NULL,
  token      BIGINT NOT NULL
);

CREATE TABLE IF NOT EXISTS menu (
  id     BIGINT PRIMARY KEY,
  parent BIGINT,
  title  VARCHAR(50) NOT NULL
);

CREATE TABLE IF NOT EXISTS instance (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY
);
