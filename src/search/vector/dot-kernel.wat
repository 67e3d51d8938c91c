;; The inner loops of the vector scan, with SIMD: 100 000 rows of 256 dimensions take 4 ms of CPU, where a loop over typed
;; arrays takes 24. What the functions promise is said in `dot-kernel.ts`, which holds this text assembled; after a change
;; run `bun scripts/build/assemble-kernel.ts`.
(module
  (import "env" "memory" (memory 1))

  ;; Two sums in turn, so that an addition does not wait for the one before. A turn takes 64 bytes of a row: at 16,
  ;; counting took as long as multiplying.
  (func (export "dots") (param $q i32) (param $base i32) (param $rows i32) (param $stride i32) (param $out i32)
    (local $done i32) (local $queryAt i32) (local $rowAt i32)
    (local $sum v128) (local $otherSum v128)
    (block $end
      (loop $row
        (br_if $end (i32.eqz (local.get $rows)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $otherSum (v128.const i32x4 0 0 0 0))
        (local.set $done (i32.const 0))
        (local.set $rowAt (local.get $base))
        (local.set $queryAt (local.get $q))
        (loop $bytes
          (local.set $sum
            (i32x4.add (local.get $sum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=0 (local.get $rowAt)) (v128.load offset=0 (local.get $queryAt)))))
          (local.set $otherSum
            (i32x4.add (local.get $otherSum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=8 (local.get $rowAt)) (v128.load offset=16 (local.get $queryAt)))))
          (local.set $sum
            (i32x4.add (local.get $sum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=16 (local.get $rowAt)) (v128.load offset=32 (local.get $queryAt)))))
          (local.set $otherSum
            (i32x4.add (local.get $otherSum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=24 (local.get $rowAt)) (v128.load offset=48 (local.get $queryAt)))))
          (local.set $sum
            (i32x4.add (local.get $sum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=32 (local.get $rowAt)) (v128.load offset=64 (local.get $queryAt)))))
          (local.set $otherSum
            (i32x4.add (local.get $otherSum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=40 (local.get $rowAt)) (v128.load offset=80 (local.get $queryAt)))))
          (local.set $sum
            (i32x4.add (local.get $sum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=48 (local.get $rowAt)) (v128.load offset=96 (local.get $queryAt)))))
          (local.set $otherSum
            (i32x4.add (local.get $otherSum)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=56 (local.get $rowAt)) (v128.load offset=112 (local.get $queryAt)))))
          (local.set $rowAt (i32.add (local.get $rowAt) (i32.const 64)))
          (local.set $queryAt (i32.add (local.get $queryAt) (i32.const 128)))
          (br_if $bytes
            (i32.lt_u
              (local.tee $done (i32.add (local.get $done) (i32.const 64)))
              (local.get $stride))))
        (local.set $sum (i32x4.add (local.get $sum) (local.get $otherSum)))
        (i32.store (local.get $out)
          (i32.add
            (i32.add
              (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
              (i32x4.extract_lane 2 (local.get $sum)))
            (i32x4.extract_lane 3 (local.get $sum))))
        (local.set $base (i32.add (local.get $base) (local.get $stride)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
        (br $row))))

  ;; `swizzle` looks up 16 rows at once: the halves of their bytes choose among the 16 bytes of a table.
  ;; $even gathers the sums of even rows with those of odd rows on top of them, $odd those of odd rows alone: one "and"
  ;; less a turn than keeping them apart.
  (func (export "tableSums") (param $tables i32) (param $base i32) (param $blocks i32) (param $width i32) (param $out i32)
    (local $left i32) (local $tablesAt i32)
    (local $even v128) (local $odd v128) (local $bytes v128) (local $lowHalves v128)
    (local.set $lowHalves (i8x16.splat (i32.const 15)))
    (block $end
      (loop $block
        (br_if $end (i32.eqz (local.get $blocks)))
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (local.set $tablesAt (local.get $tables))
        (local.set $left (local.get $width))
        (loop $byte
          (local.set $bytes (v128.load (local.get $base)))
          (local.set $bytes
            (i8x16.add
              (i8x16.swizzle
                (v128.load offset=0 (local.get $tablesAt))
                (v128.and (local.get $bytes) (local.get $lowHalves)))
              (i8x16.swizzle
                (v128.load offset=16 (local.get $tablesAt))
                (v128.and (i16x8.shr_u (local.get $bytes) (i32.const 4)) (local.get $lowHalves)))))
          (local.set $even (i16x8.add (local.get $even) (local.get $bytes)))
          (local.set $odd (i16x8.add (local.get $odd) (i16x8.shr_u (local.get $bytes) (i32.const 8))))
          (local.set $base (i32.add (local.get $base) (i32.const 16)))
          (local.set $tablesAt (i32.add (local.get $tablesAt) (i32.const 32)))
          (br_if $byte (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
        (local.set $even (i16x8.sub (local.get $even) (i16x8.shl (local.get $odd) (i32.const 8))))
        (v128.store offset=0 (local.get $out)
          (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $even) (local.get $odd)))
        (v128.store offset=16 (local.get $out)
          (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $even) (local.get $odd)))
        (local.set $out (i32.add (local.get $out) (i32.const 32)))
        (local.set $blocks (i32.sub (local.get $blocks) (i32.const 1)))
        (br $block)))))
