package forms

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"formonce/internal/postgres"
)

const (
	// IndexEvery is how often Index should run for a submission to be found within two seconds.
	IndexEvery = time.Second
	// indexLookBack is how far each pass looks back behind the one before: longer than an acceptance may last, and than
	// the clocks of two machines may differ.
	indexLookBack = 2 * time.Minute
	// indexList bounds what one pass keeps in mind, indexBatch what one transaction writes.
	indexList  = 50_000
	indexBatch = 200
)

const (
	findProgress = `SELECT through, clock_timestamp() FROM search_progress`

	// Whoever asked for a new beginning in the meantime gets it.
	keepProgress = `UPDATE search_progress SET through = $2 WHERE through = $1`

	indexAgainFrom = `UPDATE search_progress SET through = least(through, $1)`

	findUnindexed = `
SELECT s.tenant_id, s.id FROM submissions AS s WHERE s.received_at >= $1::timestamptz - $2::interval AND NOT EXISTS (
    SELECT FROM submission_search AS x WHERE x.tenant_id = s.tenant_id AND x.id = s.id)
LIMIT $3`

	// One process indexes at a time; the others have nothing to wait for.
	claimIndexing = `SELECT pg_try_advisory_xact_lock(hashtext('formonce.submission_search'))`

	// What is just being erased is passed over, and what is read here is not erased before its words are stored.
	readUnindexed = `
SELECT s.tenant_id, s.id, s.endpoint_id, s.fields, COALESCE(s.reply_to, ''), COALESCE(s.subject, '')
FROM submissions AS s JOIN unnest($1::uuid[], $2::uuid[]) AS listed (tenant_id, id)
    ON s.tenant_id = listed.tenant_id AND s.id = listed.id
FOR KEY SHARE OF s SKIP LOCKED`

	insertTerms = `
INSERT INTO submission_search (tenant_id, id, terms) SELECT tenant_id, id, terms::tsvector
FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS listed (tenant_id, id, terms)
ON CONFLICT (tenant_id, id) DO NOTHING`
)

// Index makes what was received since the last pass findable by its words, for all tenants. It may be killed at any time
// and run in any number of processes at once; what one pass leaves, the next one does.
func (in *Inbox) Index(ctx context.Context) error {
	return postgres.Fault("fill the search", in.index(ctx))
}

func (in *Inbox) index(ctx context.Context) error {
	var through, began pgtype.Timestamptz
	if err := in.db.Pool.QueryRow(ctx, findProgress).Scan(&through, &began); err != nil {
		return err
	}

	for {
		listed, err := in.unindexed(ctx, through)
		if err != nil {
			return err
		}

		for batch := range slices.Chunk(listed, indexBatch) {
			if all, err := in.indexBatch(ctx, batch); err != nil || !all {
				return err
			}
		}

		if len(listed) < indexList {
			break
		}
	}

	_, err := in.db.Pool.Exec(ctx, keepProgress, through, began)

	return err
}

// place is where a submission is among those of all tenants.
type place struct{ TenantID, ID uuid.UUID }

func (in *Inbox) unindexed(ctx context.Context, through pgtype.Timestamptz) ([]place, error) {
	rows, err := in.db.Pool.Query(ctx, findUnindexed, through, indexLookBack, indexList)
	if err != nil {
		return nil, err
	}

	return pgx.CollectRows(rows, pgx.RowToStructByPos[place])
}

// indexBatch says whether all of the batch is indexed now. It is not while another process is at it, or while some of it
// is being erased; the next pass looks again.
func (in *Inbox) indexBatch(ctx context.Context, batch []place) (all bool, err error) {
	tenantIDs, ids := make([]uuid.UUID, len(batch)), make([]uuid.UUID, len(batch))
	for i, one := range batch {
		tenantIDs[i], ids[i] = one.TenantID, one.ID
	}

	err = postgres.InTx(ctx, in.db.Pool, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, claimIndexing).Scan(&mine); err != nil || !mine {
			return err
		}

		rows, err := tx.Query(ctx, readUnindexed, tenantIDs, ids)
		if err != nil {
			return err
		}

		read, err := pgx.CollectRows(rows, scanForIndex)
		if err != nil {
			return err
		}

		all = len(read) == len(batch)

		return insertSearch(ctx, tx, read)
	})

	return all && err == nil, err
}

// scanForIndex leaves fields out that cannot be read: they must not keep the others from being found.
func scanForIndex(row pgx.CollectableRow) (Submission, error) {
	var (
		s      Submission
		fields []byte
	)

	err := row.Scan(&s.TenantID, &s.ID, &s.EndpointID, &fields, &s.ReplyTo, &s.Subject)
	s.Fields, _ = DecodeFields(fields)

	return s, err
}

func insertSearch(ctx context.Context, tx pgx.Tx, read []Submission) error {
	tenantIDs, ids, terms := make([]uuid.UUID, len(read)), make([]uuid.UUID, len(read)), make([]string, len(read))
	for i := range read {
		tenantIDs[i], ids[i], terms[i] = read[i].TenantID, read[i].ID, vectorOf(termsOf(&read[i]))
	}

	_, err := tx.Exec(ctx, insertTerms, tenantIDs, ids, terms)

	return err
}
