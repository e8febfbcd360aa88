INSERT INTO product (id, offered, stock)
SELECT 10100101, 100, 100 WHERE NOT EXISTS (SELECT 1 FROM product WHERE id = 10100101);

-- For the limit of purchases, which has nothing to do with how many items there are.
INSERT INTO product (id, offered, stock)
SELECT 10100102, 1000000000, 1000000000 WHERE NOT EXISTS (SELECT 1 FROM product WHERE id = 10100102);

INSERT INTO menu (id, parent, title)
SELECT id, parent, title
FROM (VALUES
  (1, CAST(NULL AS BIGINT), 'Shop'),
  (2, 1, 'Books'),
  (3, 2, 'Concurrency'),
  (4, 3, 'Locks'),
  (5, 2, 'Databases'),
  (6, 1, 'Clocks'),
  (7, 6, 'Monotonic')
) AS items (id, parent, title)
WHERE NOT EXISTS (SELECT 1 FROM menu);
