package main

// people are visitors who write in one language. Names are pairs: as written, and as in an address.
type people struct {
	first, last [][2]string
	companies   []string
	// phone begins the numbers, as many as phoneDigits stand behind it; where there are some for fiction, it is those.
	phone       string
	phoneDigits int
	openings    []string
	messages    []string
	closings    []string
}

// demoDomains belong to nobody (RFC 2606), so that a reply to the demo reaches nobody.
var demoDomains = []string{"example.com", "example.org", "example.net", "mail.example", "office.example"}

var demoTopics = []string{"Pricing", "Support", "Press", "Partnership"}

// demoShares says how often each of demoPeople writes.
var demoShares = []float64{10, 5, 3, 3, 2, 2}

var demoPeople = []people{
	{
		first: [][2]string{
			{"Amelia", "amelia"},
			{"Noah", "noah"},
			{"Priya", "priya"},
			{"Marcus", "marcus"},
			{"Chloe", "chloe"},
			{"Samuel", "samuel"},
			{"Zainab", "zainab"},
			{"Liam", "liam"},
			{"Grace", "grace"},
			{"Tomasz", "tomasz"},
		},
		last: [][2]string{
			{"Whitfield", "whitfield"},
			{"Okafor", "okafor"},
			{"Sharma", "sharma"},
			{"Bennett", "bennett"},
			{"O'Connell", "oconnell"},
			{"Nguyen", "nguyen"},
			{"Hughes", "hughes"},
			{"Kowalski", "kowalski"},
		},
		companies: []string{"Ltd", "& Partners", "Studio", "Logistics"},
		phone:     "+44 20 7946 0", phoneDigits: 3,
		openings: []string{"Hello,", "Hi there,", "Good morning,", "Dear team,"},
		messages: []string{
			"we are looking for someone to redo our booking page before the season starts. Do you take on small projects?",
			"could you tell me whether the yearly plan can be paid by invoice?",
			"I ordered two weeks ago and have not heard anything since. The order number is on the letter that I sent.",
			"our sports club would like to hire the hall on a Saturday in autumn. Is the 14th still free?",
			"I really enjoyed the workshop last week. Will there be a second part?",
			"your opening hours on the website and on the door are different. Which ones are right?",
			"we would like a quote for 120 printed programmes, A5, folded, needed within ten days.",
			"is there a step-free entrance? My mother uses a wheelchair and we would love to come.",
		},
		closings: []string{"Many thanks,", "Best wishes,", "Kind regards,", "Cheers,"},
	},
	{
		first: [][2]string{
			{"Jürgen", "juergen"}, {"Anneliese", "anneliese"}, {"Lukas", "lukas"}, {"Zoë", "zoe"}, {"Friederike", "friederike"},
		},
		last: [][2]string{
			{"Müller", "mueller"}, {"Weiß", "weiss"}, {"Schröder", "schroeder"}, {"Yıldız", "yildiz"}, {"Brandt", "brandt"},
		},
		companies: []string{"GmbH", "& Söhne", "Werkstätten"},
		phone:     "+49 30 23125 ", phoneDigits: 3,
		openings: []string{"Guten Tag,", "Hallo,", "Sehr geehrte Damen und Herren,"},
		messages: []string{
			"ich hätte gern ein Angebot für die Wartung unserer Heizung. Wann könnten Sie vorbeikommen?",
			"gibt es für Vereine einen ermäßigten Preis?",
			"leider ist die Lieferung unvollständig angekommen, es fehlen die Schrauben für das zweite Regal.",
			"wir möchten gern am Kurs im März teilnehmen, sind noch zwei Plätze frei?",
		},
		closings: []string{"Mit freundlichen Grüßen", "Viele Grüße", "Herzliche Grüße"},
	},
	{
		first: [][2]string{{"Élodie", "elodie"}, {"Mathéo", "matheo"}, {"Aïcha", "aicha"}, {"François", "francois"}},
		last:  [][2]string{{"Lefèvre", "lefevre"}, {"Benali", "benali"}, {"Garçon", "garcon"}, {"Dubois", "dubois"}},
		companies: []string{
			"SARL", "et Fils", "Conseil",
		},
		phone: "+33 1 99 00 ", phoneDigits: 4,
		openings: []string{"Bonjour,", "Bonsoir,", "Madame, Monsieur,"},
		messages: []string{
			"est-il possible de décaler notre rendez-vous à jeudi après-midi ?",
			"je n’arrive pas à télécharger ma facture d’août, pourriez-vous me l’envoyer ?",
			"nous préparons un mariage de 80 personnes : proposez-vous un menu végétarien ?",
		},
		closings: []string{"Cordialement,", "Bien à vous,", "Merci d’avance,"},
	},
	{
		first: [][2]string{{"Lucía", "lucia"}, {"Íñigo", "inigo"}, {"Valentina", "valentina"}, {"Joaquín", "joaquin"}},
		last:  [][2]string{{"Núñez", "nunez"}, {"García", "garcia"}, {"Ibáñez", "ibanez"}, {"Quispe", "quispe"}},
		companies: []string{
			"S.L.", "Hermanos", "Arquitectura",
		},
		phone: "+34 910 00 ", phoneDigits: 4,
		openings: []string{"Hola,", "Buenos días,", "Buenas tardes,"},
		messages: []string{
			"¿hacéis envíos a las islas? En la web no me aparece la opción.",
			"quería saber si el taller de cerámica es apto para niños de ocho años.",
			"necesitamos una factura con el NIF de la empresa. ¿A quién se lo envío?",
		},
		closings: []string{"Un saludo,", "Muchas gracias,", "Saludos cordiales,"},
	},
	{
		// The family's name stands first, and is what a letter is signed with.
		first:     [][2]string{{"佐藤", "sato"}, {"鈴木", "suzuki"}, {"田中", "tanaka"}},
		last:      [][2]string{{"陽子", "yoko"}, {"健太", "kenta"}, {"美咲", "misaki"}},
		companies: []string{"商店", "デザイン事務所"},
		phone:     "+81 3 5550 ", phoneDigits: 4,
		openings: []string{"はじめまして。", "お世話になっております。"},
		messages: []string{
			"展示会の予約について教えていただけますか。当日は三名で伺う予定です。",
			"資料を請求したいのですが、英語版もありますか。",
		},
		closings: []string{"よろしくお願いいたします。", "どうぞよろしくお願いします。"},
	},
	{
		first:     [][2]string{{"ليلى", "layla"}, {"يوسف", "youssef"}, {"مريم", "maryam"}},
		last:      [][2]string{{"حداد", "haddad"}, {"منصور", "mansour"}, {"العلي", "alali"}},
		companies: []string{"للتجارة", "وشركاؤه"},
		phone:     "+971 4 555 ", phoneDigits: 4,
		openings: []string{"مرحباً،", "السلام عليكم،"},
		messages: []string{
			"أود معرفة مواعيد الدورة القادمة وهل يمكن التسجيل عبر الإنترنت؟",
			"هل لديكم فرع في المدينة؟ نرغب في زيارتكم الأسبوع القادم.",
		},
		closings: []string{"مع الشكر،", "تحياتي،"},
	},
}

// demoSpam are pairs of a name and a text, as programs send them.
var demoSpam = [][2]string{
	{"SEO Expert", "We will put your website on page one within 7 days, guaranteed. Reply for a free audit."},
	{"Crypto Desk", "Your wallet was selected for a bonus of 4.2 coins. Claim it before midnight."},
	{"Global Loans", "Approved! Business loan at 1.9 % without any paperwork, money on the same day."},
	{"Best Watches", "Top replica watches 85 % OFF, free shipping worldwide, only this week!!!"},
}
